import { Worker } from 'node:worker_threads'
import { errorMessage } from '../errors/error-message.js'
import { YAML_THREAD_HEAP_MB, YAML_THREAD_MS } from '../limits.js'
import { PACKAGE_ROOT } from '../package-root.js'
import type { TextPlace } from '../text/place-of.js'
import { startDeadline } from '../time/start-deadline.js'
import { YamlError } from './read-yaml.js'
import type { YamlNote } from './yaml-notes.js'

/** What the thread is asked. */
export interface YamlQuestion {
  readonly id: number
  readonly text: string
  readonly maxDepth: number
  readonly maxAliases: number | undefined
}

/** What it answers. */
export type YamlAnswer =
  /** The value as JSON text, integers with all their digits. */
  ({ readonly id: number } & YamlText) | { readonly id: number; readonly problem: YamlProblem }

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

const THREAD = new URL('dist/bundle/yaml-thread.js', PACKAGE_ROOT)
/** A thread that nobody asks ends after so long. */
const REST_MS = 5_000

/** Reads long YAML in a thread of its own, because the parser cannot be interrupted; only the caller waits. */
export class YamlReader {
  #thread: Worker | undefined
  #last: Promise<unknown> = Promise.resolve()
  #rest: NodeJS.Timeout | undefined
  #asked = 0
  readonly #maxHeapMb: number

  /** @param maxHeapMb what a text may take that is read, in mebibytes: beyond that the thread ends, and nobody else */
  constructor(maxHeapMb = YAML_THREAD_HEAP_MB) {
    this.#maxHeapMb = maxHeapMb
  }

  /** The value of a text as JSON text; one after the other. @throws YamlError */
  read(text: string, maxDepth: number, maxAliases?: number): Promise<YamlText> {
    const answer = this.#last.then(() => this.#ask({ text, maxDepth, maxAliases }))
    this.#last = answer.catch(() => {})
    return answer
  }

  async close(): Promise<void> {
    clearTimeout(this.#rest)
    const thread = this.#thread
    // At once: who asks while it ends gets another one, and does not fail with it.
    this.#thread = undefined
    await thread?.terminate()
  }

  #ask(question: Omit<YamlQuestion, 'id'>): Promise<YamlText> {
    clearTimeout(this.#rest)
    this.#thread ??= startThread(this.#maxHeapMb)
    const thread = this.#thread
    this.#asked += 1
    const id = this.#asked
    return new Promise<YamlText>((resolve, reject) => {
      const settle = (end: () => void) => {
        stop()
        thread.off('message', onMessage).off('error', failed).off('exit', onExit)
        end()
      }
      const failed = (error: Error) =>
        settle(() => {
          void this.close()
          reject(new YamlError(`cannot be read: ${errorMessage(error)}`))
        })
      const onExit = () => failed(new Error('its reader was ended'))
      const onMessage = (answer: YamlAnswer) => {
        if (answer.id === id) settle(() => this.#answered(answer, resolve, reject))
      }
      const stop = startDeadline(YAML_THREAD_MS, () =>
        failed(new Error(`it takes more than ${YAML_THREAD_MS} ms`)),
      )
      thread.on('message', onMessage).on('error', failed).on('exit', onExit)
      thread.postMessage({ id, ...question } satisfies YamlQuestion)
    })
  }

  #answered(answer: YamlAnswer, resolve: (read: YamlText) => void, reject: (error: YamlError) => void): void {
    this.#rest = setTimeout(() => void this.close(), REST_MS).unref()
    if ('json' in answer) resolve({ json: answer.json, notes: answer.notes })
    else reject(new YamlError(answer.problem.message, answer.problem))
  }
}

function startThread(maxHeapMb: number): Worker {
  const thread = new Worker(THREAD, {
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    // The thread reads text; it does not need the service's settings.
    env: {},
    execArgv: [],
  })
  // Nobody waits at the end of a process for a text that is not read yet.
  thread.unref()
  return thread
}
