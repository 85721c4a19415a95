import { dirname } from 'node:path'
import { splitChoice } from '../versions/prompt-choice.js'
import { readTestFile } from './files/read-test-file.js'
import type { TestCase, TestFile, TestProblem } from './files/test-file.js'
import { type ProofDependencies, runTest, type TestResult } from './run-test.js'
import { Snapshots } from './snapshots.js'

/** What a run of tests does beside judging. */
export interface RunOptions {
  /** Keeps outputs as snapshots, in place of comparing. */
  readonly isUpdating?: boolean
  /** Only tests whose name matches. */
  readonly grep?: RegExp | undefined
  /** Only tests that render this prompt, and name no version of it. Files without any say nothing. */
  readonly prompt?: string | undefined
  /** Only tests that render one of these prompts, or a text of their own. Default: all. */
  readonly reached?: ReadonlySet<string> | undefined
  /** Stops after the first failure. */
  readonly bails?: boolean
  /** Passes over what belongs to other programs and is not understood. */
  readonly skipsUnknown?: boolean
}

/** The results of the tests of one file. */
export interface FileResult {
  /** Absolute. */
  readonly path: string
  readonly results: readonly TestResult[]
  /** What is wrong with the file: it fails the run. */
  readonly problems: readonly TestProblem[]
  /** What was passed over. */
  readonly skipped: readonly TestProblem[]
  /** Names of snapshots that no test compares; they fail the run. */
  readonly obsolete: readonly string[]
  /** Whether its file of snapshots was written. */
  readonly hasWritten: boolean
}

/** The results of a whole run. */
export interface RunResult {
  readonly files: readonly FileResult[]
  readonly passed: number
  readonly failed: number
  readonly passes: boolean
  readonly durationMs: number
}

/** Runs the tests of files, in order. @param paths absolute. @throws Error for a file that cannot be read */
export async function runFiles(
  paths: readonly string[],
  dependencies: ProofDependencies,
  options: RunOptions = {},
): Promise<RunResult> {
  const startedAt = dependencies.now()
  const files: FileResult[] = []
  for (const path of paths) {
    const file = await runFile(readTestFile(path), dependencies, options)
    files.push(file)
    if (options.bails === true && hasFailed(file)) break
  }
  const results = files.flatMap((file) => file.results)
  const passed = results.filter(({ passes }) => passes).length
  return {
    files,
    passed,
    failed: results.length - passed,
    passes: !files.some(hasFailed),
    durationMs: dependencies.now() - startedAt,
  }
}

/** Whether something about a file fails the run. */
export function hasFailed({ results, problems, obsolete }: FileResult): boolean {
  return problems.length > 0 || obsolete.length > 0 || results.some(({ passes }) => !passes)
}

async function runFile(
  { path, tests, problems }: TestFile,
  dependencies: ProofDependencies,
  options: RunOptions,
): Promise<FileResult> {
  const { isUpdating = false, grep, prompt, reached, skipsUnknown = false } = options
  const snapshots = new Snapshots(path, isUpdating)
  const chosen = tests.filter(
    (test) => grep?.test(test.name) !== false && isOf(test, prompt) && isReached(test, reached),
  )
  const results = await runAll(chosen, path, dependencies, snapshots, options.bails === true)
  const isWhole = chosen.length === tests.length && results.length === chosen.length
  const isSkipped = ({ isUnknown }: TestProblem) => skipsUnknown && isUnknown
  const isElsewhere = (prompt ?? reached) !== undefined && chosen.length === 0 && tests.length > 0
  const found = isElsewhere ? [] : [...problems, ...repeatedNames(tests)]
  return {
    path,
    results,
    problems: found.filter((problem) => !isSkipped(problem)),
    skipped: found.filter(isSkipped),
    obsolete: isWhole && !isUpdating ? snapshots.obsolete : [],
    hasWritten: snapshots.save(!isWhole),
  }
}

function isOf({ prompt: tested }: TestCase, prompt: string | undefined): boolean {
  return prompt === undefined || (tested.kind === 'id' && tested.id === prompt)
}

function isReached({ prompt }: TestCase, reached: ReadonlySet<string> | undefined): boolean {
  return reached === undefined || prompt.kind === 'text' || reached.has(splitChoice(prompt.id).id)
}

async function runAll(
  tests: readonly TestCase[],
  path: string,
  dependencies: ProofDependencies,
  snapshots: Snapshots,
  bails: boolean,
): Promise<readonly TestResult[]> {
  const results: TestResult[] = []
  for (const test of tests) {
    const result = await runTest(test, dirname(path), dependencies, snapshots)
    results.push(result)
    if (bails && !result.passes) break
  }
  return results
}

/** Snapshots and reports are by name. */
function repeatedNames(tests: readonly TestCase[]): readonly TestProblem[] {
  const seen = new Set<string>()
  return tests.flatMap(({ name, line }) => {
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    const message = `two tests have the name ${JSON.stringify(name)}: give each a name of its own`
    return [{ message, line: line(), column: 1, isUnknown: false }]
  })
}
