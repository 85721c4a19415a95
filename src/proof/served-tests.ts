import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { errorMessage } from '../util/errors/error-message.js'
import { pause } from '../util/slices/pause.js'
import { splitChoice } from '../versions/prompt-choice.js'
import { isAboutRender } from './assertions/assertions.js'
import { parseTestFile } from './files/read-test-file.js'
import type { TestCase, TestFile, TestProblem } from './files/test-file.js'
import { findTestFiles } from './find-test-files.js'
import { Snapshots } from './snapshots.js'

/** A test of a prompt that a service may run. */
export interface ServedTest {
  /** Without what the service does not run. */
  readonly test: TestCase
  /** Absolute. */
  readonly path: string
  /** Relative to the catalog. */
  readonly file: string
  readonly snapshots: Pick<Snapshots, 'compare'>
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
  readonly tests: readonly ServedTest[]
  readonly problems: readonly ServedProblem[]
}

/** Larger files, in bytes, are tested on the command line: parsing them would hold other requests up. */
const MAX_FILE = 65_536

/** The tests beside a catalog in a directory, as a service shows and runs them. A file is read again once it changed. */
export class TestFolder {
  readonly #catalog: string
  readonly #folder: string
  readonly #known = new Map<string, { readonly stamp: string; readonly text: string; file?: TestFile }>()

  /** @param catalog the directory that paths are shown relative to */
  constructor(catalog: string, folder: string) {
    this.#catalog = catalog
    this.#folder = folder
  }

  /** False where there is no such folder. */
  get isThere(): boolean {
    return existsSync(this.#folder)
  }

  /** The tests that render a prompt, at any version or label. */
  async of(id: string): Promise<ServedTests> {
    const tests: ServedTest[] = []
    const problems: ServedProblem[] = []
    for (const path of this.isThere ? findTestFiles([this.#folder]) : []) {
      const name = relative(this.#catalog, path).replaceAll('\\', '/')
      const file = await this.#read(path, id)
      if (file === undefined) continue
      const own = file.tests.filter(({ prompt }) => prompt.kind === 'id' && splitChoice(prompt.id).id === id)
      problems.push(...file.problems.map((problem) => ({ ...problem, file: name })))
      if (own.length > 0) tests.push(...this.#served(own, path, name, problems))
    }
    return { tests, problems }
  }

  #served(
    tests: readonly TestCase[],
    path: string,
    file: string,
    problems: ServedProblem[],
  ): readonly ServedTest[] {
    try {
      const snapshots = new Snapshots(path, false)
      return tests.map((test) => ({
        path,
        file,
        snapshots,
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
      if (size > MAX_FILE)
        return unreadableFile(path, `larger than ${MAX_FILE} bytes: run its tests with ai-prompt-shell test`)
      const stamp = `${size} ${mtimeMs}`
      let known = this.#known.get(path)
      if (known?.stamp !== stamp) {
        known = { stamp, text: await readFile(path, 'utf8') }
        this.#known.set(path, known)
      }
      if (!known.text.includes(id)) return undefined
      if (known.file === undefined) {
        await pause()
        known.file = parseTestFile(path, known.text)
      }
      return known.file
    } catch (error) {
      return unreadableFile(path, errorMessage(error))
    }
  }
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
    return { test, runs: false, leftOut: 'it judges a text of its own and renders nothing' }
  const claims = test.claims.filter(
    ({ type }) => !NOT_RUN.has(type) && (!test.isAnswered || isAboutRender(type)),
  )
  if (claims.length === test.claims.length) return { test, runs: true, leftOut: undefined }
  return {
    test: { ...test, isAnswered: false, claims },
    runs: claims.length > 0,
    leftOut: 'the service runs no JavaScript of tests and asks no model: use ai-prompt-shell test',
  }
}

function namesOf({ claims }: TestCase): readonly string[] {
  return claims.map(({ type, isNegated }) => `${isNegated ? 'not-' : ''}${type}`)
}
