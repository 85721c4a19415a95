import { AskedThread } from '../asked-thread.js'
import { errorMessage } from '../errors/error-message.js'
import { YAML_THREAD_HEAP_MB, YAML_THREAD_MS } from '../limits.js'
import type { TextPlace } from '../text/place-of.js'
import { YamlError } from './read-yaml.js'
import type { YamlNote } from './yaml-notes.js'

/** What the thread is asked. */
export interface YamlQuestion {
  readonly text: string
  readonly maxDepth: number
  readonly maxAliases: number | undefined
}

/** What it answers. */
export type YamlAnswer =
  /** The value as JSON text, integers with all their digits. */
  YamlText | { readonly problem: YamlProblem }

/** What YAML says, as JSON text, and what its author may not see. */
export interface YamlText {
  readonly json: string
  readonly notes: readonly YamlNote[]
}

interface YamlProblem {
  readonly message: string
  readonly isTooDeep: boolean
  readonly place: TextPlace | undefined
  readonly hint: string | undefined
}

const REST_MS = 5_000

/** Reads long YAML in a thread of its own, because the parser cannot be interrupted. */
export class YamlReader {
  readonly #thread: AskedThread<YamlQuestion, YamlAnswer>

  /** @param maxHeapMb what a text may take that is read, in mebibytes: beyond that the thread ends, and nobody else */
  constructor(maxHeapMb = YAML_THREAD_HEAP_MB) {
    this.#thread = new AskedThread({
      program: 'yaml-thread',
      maxHeapMb,
      maxMs: YAML_THREAD_MS,
      restMs: REST_MS,
    })
  }

  /** The value of a text as JSON text; one after the other. @throws YamlError */
  async read(text: string, maxDepth: number, maxAliases?: number): Promise<YamlText> {
    const answer = await this.#thread.ask({ text, maxDepth, maxAliases }).catch((error: unknown) => {
      throw new YamlError(`cannot be read: ${errorMessage(error)}`)
    })
    if ('problem' in answer) throw new YamlError(answer.problem.message, answer.problem)
    return { json: answer.json, notes: answer.notes }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
