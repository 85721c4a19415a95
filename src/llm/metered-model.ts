import { performance } from 'node:perf_hooks'
import type { ErrorCode } from '../errors.js'
import { promised } from '../util/and-then.js'
import { codeOf } from '../util/errors/code-of.js'
import { AnsweredCompletion } from './answered-completion.js'
import { costOf, type PriceTable } from './cost.js'
import type {
  AnsweringModel,
  CallOptions,
  CallReport,
  Completion,
  CompletionStream,
  ModelRequest,
  Usage,
} from './model.js'
import { reportOf } from './model-error.js'

/** How one call of a model went, whatever started it. Never any content. */
export interface CallRecord {
  readonly requestId: string
  /** Of its span. */
  readonly traceparent: string | undefined
  /** Of a call that reached no upstream: `none` and no attempts. */
  readonly report: CallReport
  readonly outcome: 'success' | ErrorCode
  readonly durationMs: number
  /** Until the first event of a stream. */
  readonly firstTokenMs: number | undefined
  readonly usage: Usage | undefined
  readonly cost: number | undefined
}

export interface MeteringOptions {
  readonly prices: PriceTable
  /** Called once per call, when it is over, even if it failed or its reader left. Must not throw. */
  readonly observe: (record: CallRecord) => void
}

/** What is known when a call is over. */
type Ending = Partial<Pick<CallRecord, 'firstTokenMs' | 'usage' | 'cost'>>

/** A model whose every call is timed, priced and reported to an observer. */
export function createMeteredModel(
  model: AnsweringModel,
  { prices, observe }: MeteringOptions,
): AnsweringModel {
  function priceOf(report: CallReport, request: ModelRequest, usage: Usage | undefined): number | undefined {
    return costOf(prices, report.model, usage) ?? costOf(prices, request.model, usage)
  }

  function complete(request: ModelRequest, options: CallOptions): Promise<Completion> {
    const finish = startCall(request, options)
    const fail = (error: unknown): never => {
      finish(codeOf(error), reportOf(error))
      throw error
    }
    // Callbacks: an `async` function has a generator and a promise of its own. Rows `0.5 KB` of `npm run bench:chat`.
    const succeed = (completion: Completion): Completion => {
      const { report, usage } = completion
      const cost = priceOf(report, request, usage)
      finish('success', report, { usage, cost })
      return new AnsweredCompletion(completion, report, usage, cost)
    }
    return promised(() => model.complete(request, options)).then(succeed, fail)
  }

  async function stream(request: ModelRequest, options: CallOptions): Promise<CompletionStream> {
    const finish = startCall(request, options)
    const startedAt = performance.now()
    try {
      const answer = await model.stream(request, options)
      const firstTokenMs = performance.now() - startedAt
      const { events, report, ended } = answer
      const usage = () => answer.usage()
      const cost = () => priceOf(report, request, usage())
      ended.then((failure) => {
        finish(failure?.code ?? 'success', report, { firstTokenMs, usage: usage(), cost: cost() })
      })
      return { events, report, ended, usage, cost }
    } catch (error) {
      finish(codeOf(error), reportOf(error))
      throw error
    }
  }

  function startCall({ model: asked }: ModelRequest, { requestId, traceparent }: CallOptions) {
    const startedAt = performance.now()
    const unknown: CallReport = { upstream: 'none', model: asked, attempts: 0, upstreamMs: 0 }
    return (outcome: CallRecord['outcome'], report = unknown, ending: Ending = {}) => {
      const { firstTokenMs, usage, cost } = ending
      const durationMs = performance.now() - startedAt
      observe({ requestId, traceparent, report, outcome, durationMs, firstTokenMs, usage, cost })
    }
  }

  return { complete, stream }
}
