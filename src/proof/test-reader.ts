import { AskedThread } from '../util/asked-thread.js'
import { errorMessage } from '../util/errors/error-message.js'
import type { ServedTests } from './served-tests.js'

/** What the thread is asked: the tests of a prompt. */
export interface TestsQuestion {
  /** The directory that paths are shown relative to. */
  readonly catalog: string
  readonly folder: string
  /** An id of the catalog. */
  readonly prompt: string
}

/** What it answers. */
export type TestsReply = { readonly found: ServedTests } | { readonly problem: string }

/** Heap of the thread: files of tests name files with rows of any size. */
const MAX_HEAP_MB = 512
const MAX_MS = 10_000
const REST_MS = 60_000

/** Finds and reads tests of prompts in a thread of its own, for processes that serve. */
export class TestReader {
  readonly #catalog: string
  readonly #folder: string
  readonly #thread = new AskedThread<TestsQuestion, TestsReply>({
    program: 'tests-thread',
    maxHeapMb: MAX_HEAP_MB,
    maxMs: MAX_MS,
    restMs: REST_MS,
  })

  /** @param catalog the directory that paths are shown relative to */
  constructor(catalog: string, folder: string) {
    this.#catalog = catalog
    this.#folder = folder
  }

  /** The tests that render a prompt, at any version or label. What cannot be read is a problem of the folder. */
  async of(prompt: string): Promise<ServedTests> {
    const question = { catalog: this.#catalog, folder: this.#folder, prompt }
    const answer = await this.#thread
      .ask(question)
      .catch((error: unknown): TestsReply => ({ problem: errorMessage(error) }))
    if ('found' in answer) return answer.found
    const problem = { message: answer.problem, line: 1, column: 1, isUnknown: false, file: 'tests' }
    return { isThere: true, tests: [], problems: [problem] }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
