import type { CallReport, Completion, Usage } from './model.js'
import type { Answer } from './upstream.js'

/** An answer and what is known of its call. A class: an accessor in an object literal is defined again for each object. */
export class AnsweredCompletion implements Completion {
  readonly bytes: Buffer
  readonly ascii: string | undefined
  readonly usage: Usage | undefined
  readonly report: CallReport
  readonly cost: number | undefined
  readonly answer: Answer

  constructor(answer: Answer, report: CallReport, usage = answer.usage, cost?: number) {
    this.bytes = answer.bytes
    this.ascii = answer.ascii
    this.usage = usage
    this.report = report
    this.cost = cost
    this.answer = answer
  }

  get body(): Completion['body'] {
    return this.answer.body
  }
}
