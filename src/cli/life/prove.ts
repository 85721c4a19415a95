import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findPrompt } from '../../prompts/find-prompt.js'
import { findTestFiles } from '../../proof/find-test-files.js'
import { failedPlaces } from '../../proof/reports/findings.js'
import { textReport } from '../../proof/reports/text.js'
import { runFiles } from '../../proof/run-files.js'
import type { PromptEntry } from '../../registry/snapshot.js'
import { counted } from '../../util/text/counted.js'
import { type CommandOptions, type OptionValues, UsageError } from '../command.js'
import { textOption } from '../option-values.js'
import type { Desk } from './desk.js'
import type { Subject } from './read-life.js'

/** The option of commands that run the tests of a prompt. */
export const TESTS_OPTION = {
  tests: {
    type: 'string',
    value: '<path>',
    help: 'file or folder of its tests; default: the folder tests of the catalog or of this directory',
  },
} as const satisfies CommandOptions

/** What the tests of a prompt said; a release keeps it. */
export interface TestVerdict {
  readonly passed: number
  readonly failed: number
}

/** A verdict, and for people what failed. */
export interface Proof {
  /** undefined where the prompt has no tests. */
  readonly verdict: TestVerdict | undefined
  /** What failed, and where; empty where nothing did. */
  readonly report: string
}

/** Of what has no tests, or cannot be rendered. */
export const UNTESTED: Proof = { verdict: undefined, report: '' }

/**
 * Runs the tests of a prompt: of its head, or of one of its versions in the place of the head.
 *
 * @throws UsageError for a path that is not there
 */
export async function proveText(
  desk: Desk,
  { kind, id }: Pick<Subject, 'kind' | 'id'>,
  version: number | undefined,
  values: OptionValues,
): Promise<Proof> {
  const paths = kind === 'agents' ? [] : testFiles(desk, values)
  if (paths.length === 0) return UNTESTED
  const { registry, renderer } = desk.shell
  const replaced = await textOf(desk, id, version)
  const now = () => performance.now()
  const run = await runFiles(paths, { registry, renderer, replaced, now }, { prompt: id })
  const failed = run.passes ? 0 : Math.max(run.failed, failedPlaces(run).length - run.failed, 1)
  if (run.passed + failed === 0) return UNTESTED
  return { verdict: { passed: run.passed, failed }, report: run.passes ? '' : textReport(run) }
}

/** `4 tests passed`, or how many did not. */
export function verdictText({ passed, failed }: TestVerdict): string {
  if (failed === 0) return `${counted(passed, 'test')} passed`
  return `${failed} of ${counted(passed + failed, 'test')} failed`
}

/** @throws ServiceError */
async function textOf(
  { shell: { registry } }: Desk,
  id: string,
  version: number | undefined,
): Promise<PromptEntry> {
  const head = registry.current.prompts.get(id)
  if (version === undefined && head !== undefined) return head
  return (await findPrompt(registry, id, { version })).prompt
}

/** The files with tests that a command looks at. @throws UsageError for a path that is not there */
export function testFiles({ config }: Desk, values: OptionValues): readonly string[] {
  const named = textOption(values, 'tests')
  if (named !== undefined) {
    if (!existsSync(named)) throw new UsageError(`--tests ${named}: does not exist`)
    return findTestFiles([named])
  }
  const { redisUrl, catalogDir } = config
  const inCatalog = redisUrl === undefined && catalogDir !== undefined ? [join(catalogDir, 'tests')] : []
  const folder = [...inCatalog, 'tests'].find(isFolder)
  return folder === undefined ? [] : findTestFiles([folder])
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
