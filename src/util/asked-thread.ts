import { Worker } from 'node:worker_threads'
import { PACKAGE_ROOT } from './package-root.js'
import { startDeadline } from './time/start-deadline.js'

/** What a thread runs, and what it may take. */
export interface ThreadOptions {
  /** The name of its program among those of the package, without `.js`. */
  readonly program: string
  /** Mebibytes of heap: beyond that the thread ends, and nobody else. */
  readonly maxHeapMb: number
  /** Milliseconds for one question. */
  readonly maxMs: number
  /** Milliseconds after which a thread that nobody asks ends. */
  readonly restMs: number
}

/**
 * A thread for work that takes long and cannot be interrupted; only the caller waits. It is started by the first question, and answers
 * one after the other: each as a message with the `id` of its question.
 */
export class AskedThread<Question extends object, Answer extends object> {
  readonly #options: ThreadOptions
  #thread: Worker | undefined
  #last: Promise<unknown> = Promise.resolve()
  #rest: NodeJS.Timeout | undefined
  #asked = 0

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** Rejects with an Error when the thread ends, fails or takes too long; the next question starts another one. */
  ask(question: Question): Promise<Answer> {
    const answer = this.#last.then(() => this.#askNow(question))
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

  #askNow(question: Question): Promise<Answer> {
    clearTimeout(this.#rest)
    this.#thread ??= this.#start()
    const thread = this.#thread
    const { maxMs, restMs } = this.#options
    this.#asked += 1
    const id = this.#asked
    return new Promise<Answer>((resolve, reject) => {
      const settle = (end: () => void) => {
        stop()
        thread.off('message', onMessage).off('error', failed).off('exit', onExit)
        end()
      }
      const failed = (error: Error) =>
        settle(() => {
          void this.close()
          reject(error)
        })
      const onExit = () => failed(new Error('its reader was ended'))
      const onMessage = (answer: Answer & { readonly id: number }) => {
        if (answer.id !== id) return
        settle(() => {
          this.#rest = setTimeout(() => void this.close(), restMs).unref()
          resolve(answer)
        })
      }
      const stop = startDeadline(maxMs, () => failed(new Error(`it takes more than ${maxMs} ms`)))
      thread.on('message', onMessage).on('error', failed).on('exit', onExit)
      thread.postMessage({ id, ...question })
    })
  }

  #start(): Worker {
    const { program, maxHeapMb } = this.#options
    const thread = new Worker(new URL(`dist/bundle/${program}.js`, PACKAGE_ROOT), {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      // The thread reads files and texts; it does not need the service's settings.
      env: {},
      execArgv: [],
    })
    // Nobody waits at the end of a process for what is not read yet.
    thread.unref()
    return thread
  }
}
