import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { at } from '../util/at.js'
import { errorMessage } from '../util/errors/error-message.js'
import { type JsonValue, own, stringifyJson } from '../util/json/json.js'
import { clipped } from '../util/text/clipped.js'
import { splitChoice } from '../versions/prompt-choice.js'
import { isAboutRender } from './assertions/assertions.js'
import { parseTestFile } from './files/read-test-file.js'
import type { LineOf, TestCase, TestClaim, TestFile, TestProblem } from './files/test-file.js'
import { findTestFiles } from './find-test-files.js'
import { keptSnapshots } from './snapshots.js'

/** Something of a test file, with its line at once. */
type Placed<Part extends { readonly line: LineOf }> = Omit<Part, 'line'> & { readonly line: number }

/** A test that is sent from one thread to another. */
type PlacedTest = Placed<Omit<TestCase, 'claims'>> & { readonly claims: readonly Placed<TestClaim>[] }

/** A test of a prompt that a service may run. */
export interface ServedTest {
  /** Without what the service does not run. */
  readonly test: PlacedTest
  /** Absolute. */
  readonly path: string
  /** Relative to the catalog. */
  readonly file: string
  /** What its snapshot keeps. */
  readonly kept: JsonValue | undefined
  /** Why it is not run, or not all of it. */
  readonly leftOut: string | undefined
  readonly runs: boolean
  /** Names of all of its assertions, as its file has them. */
  readonly assertions: readonly string[]
}

/** What is wrong with a file of tests. */
export interface ServedProblem extends TestProblem {
  readonly file: string
}

/** The tests of one prompt. */
export interface ServedTests {
  /** False where there is no folder of tests. */
  readonly isThere: boolean
  readonly tests: readonly ServedTest[]
  readonly problems: readonly ServedProblem[]
}

/** Larger files, in bytes, are tested on the command line. */
const MAX_FILE = 1 << 20
/** More tests of one prompt in a file. */
const MAX_TESTS = 2_000
/** More tests of one prompt, in characters of JSON: who gets them from another thread takes them in one piece. */
const MAX_SENT = 1 << 19
/** How many problems are sent then, and how much of each, in characters. */
const MAX_PROBLEMS = 100
const MAX_MESSAGE = 500
const ON_COMMAND_LINE = 'run its tests with ai-prompt-shell test'

/**
 * The tests beside a catalog in a directory, as a service shows and runs them. A file is read again once it changed. To find and to read
 * files takes long, and cannot be interrupted: a service has a thread for it, see `TestReader`.
 */
export class TestFolder {
  readonly #catalog: string
  readonly #folder: string
  readonly #known = new Map<string, { readonly stamp: string; readonly text: string; file?: TestFile }>()

  /** @param catalog the directory that paths are shown relative to */
  constructor(catalog: string, folder: string) {
    this.#catalog = catalog
    this.#folder = folder
  }

  /** The tests that render a prompt, at any version or label. */
  async of(id: string): Promise<ServedTests> {
    const tests: ServedTest[] = []
    const problems: ServedProblem[] = []
    const isThere = existsSync(this.#folder)
    for (const path of isThere ? findTestFiles([this.#folder]) : []) {
      const name = relative(this.#catalog, path).replaceAll('\\', '/')
      const file = await this.#read(path, id)
      if (file === undefined) continue
      const own = file.tests.filter(({ prompt }) => prompt.kind === 'id' && splitChoice(prompt.id).id === id)
      problems.push(...file.problems.map((problem) => ({ ...problem, file: name })))
      if (own.length > MAX_TESTS)
        problems.push({
          ...unreadable(`${own.length} tests of this prompt, more than ${MAX_TESTS}: ${ON_COMMAND_LINE}`),
          file: name,
        })
      else if (own.length > 0) tests.push(...this.#served(own, path, name, problems))
    }
    return bounded({ isThere, tests, problems })
  }

  #served(
    tests: readonly TestCase[],
    path: string,
    file: string,
    problems: ServedProblem[],
  ): readonly ServedTest[] {
    try {
      const kept = keptSnapshots(path)
      return tests.map((test) => ({
        path,
        file,
        kept: own(kept, test.name),
        assertions: namesOf(test),
        ...withoutOthers(test),
      }))
    } catch (error) {
      problems.push({ ...unreadable(errorMessage(error)), file })
      return []
    }
  }

  /** Undefined for a file that does not name the prompt: it is not parsed. */
  async #read(path: string, id: string): Promise<TestFile | undefined> {
    try {
      const { size, mtimeMs } = await stat(path)
      if (size > MAX_FILE) return unreadableFile(path, `larger than ${MAX_FILE} bytes: ${ON_COMMAND_LINE}`)
      const stamp = `${size} ${mtimeMs}`
      let known = this.#known.get(path)
      if (known?.stamp !== stamp) {
        known = { stamp, text: await readFile(path, 'utf8') }
        this.#known.set(path, known)
      }
      if (!known.text.includes(id)) return undefined
      known.file ??= parseTestFile(path, known.text)
      return known.file
    } catch (error) {
      return unreadableFile(path, errorMessage(error))
    }
  }
}

/** Without the tests, and with the first problems only, where all of it is too much to be sent. */
function bounded(found: ServedTests): ServedTests {
  if (stringifyJson(found).length <= MAX_SENT) return found
  const { isThere, tests, problems } = found
  const { file } = at([...tests, ...problems], 0)
  const tooMuch = `its tests, and what is wrong with them, are more than ${MAX_SENT} characters: ${ON_COMMAND_LINE}`
  const first = problems
    .slice(0, MAX_PROBLEMS)
    .map(({ message, ...place }) => ({ ...place, message: clipped(message, MAX_MESSAGE) }))
  return { isThere, tests: [], problems: [{ ...unreadable(tooMuch), file }, ...first] }
}

function unreadableFile(path: string, message: string): TestFile {
  return { path, tests: [], problems: [unreadable(message)] }
}

function unreadable(message: string): TestProblem {
  return { message, line: 1, column: 1, isUnknown: false }
}

/** Authors of a catalog write prompts, and no code of the service; and a service asks no model for tests. */
const NOT_RUN: ReadonlySet<string> = new Set(['javascript', 'llm-rubric'])

function withoutOthers(test: TestCase): Pick<ServedTest, 'test' | 'leftOut' | 'runs'> {
  if (test.providerOutput !== undefined)
    return { test: placed(test), runs: false, leftOut: 'it judges a text of its own and renders nothing' }
  const claims = test.claims.filter(
    ({ type }) => !NOT_RUN.has(type) && (!test.isAnswered || isAboutRender(type)),
  )
  if (claims.length === test.claims.length) return { test: placed(test), runs: true, leftOut: undefined }
  return {
    test: placed({ ...test, isAnswered: false, claims }),
    runs: claims.length > 0,
    leftOut: 'the service runs no JavaScript of tests and asks no model: use ai-prompt-shell test',
  }
}

function placed(test: TestCase): PlacedTest {
  const claims = test.claims.map((claim) => ({ ...claim, line: claim.line() }))
  return { ...test, line: test.line(), claims }
}

function namesOf({ claims }: TestCase): readonly string[] {
  return claims.map(({ type, isNegated }) => `${isNegated ? 'not-' : ''}${type}`)
}
