import { existsSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.js'
import { toLlmSettings } from '../llm/llm-settings.js'
import { secretsOf } from '../llm/mask-failure.js'
import type { Shell } from '../open-shell.js'
import { createChat } from '../prompts/chat.js'
import { coverageOf } from '../proof/coverage.js'
import { readTestFile } from '../proof/files/read-test-file.js'
import { catalogAbove, findTestFiles } from '../proof/find-test-files.js'
import { mutate } from '../proof/mutate.js'
import { coverageReport } from '../proof/reports/coverage.js'
import { junitReport } from '../proof/reports/junit.js'
import { mutationReport } from '../proof/reports/mutation.js'
import { formatReport, REPORT_FORMATS, type ReportFormat } from '../proof/reports/report.js'
import { type RunOptions, type RunResult, runFiles } from '../proof/run-files.js'
import type { Answering, ProofDependencies } from '../proof/run-test.js'
import { openTapedAnswers, UNNAMED } from '../proof/taped-answers.js'
import { errorMessage } from '../util/errors/error-message.js'
import { stringifyJson } from '../util/json/json.js'
import { documentAt } from '../util/packages/version.js'
import { CATALOG_OPTION, catalogOption } from './catalog-option.js'
import { loadCatalogConfig, openCatalog } from './catalog-source.js'
import { ChangeWatch, promptsReachedBy } from './change-watch.js'
import { type CliContext, type Command, EXIT, type OptionValues, UsageError } from './command.js'
import { isLocation, isUrl } from './location.js'
import { textOption } from './option-values.js'
import { formatOption, runsOption } from './watch-options.js'

/** `test`: renders prompts with the service's own renderer and judges what comes out. */
export const test: Command = {
  usage: ['test [files or folders…] [options]'],
  about: `Runs the tests of prompts in files named *.test.yaml: those given, or all in the folder tests of the catalog. Each
renders a prompt with variables, context and tools of its own and judges the result. Reads configuration files of
promptfoo too. No tool is called; a model is asked only with --record. Exits with code 1 if a test fails. The
guide: ${documentAt('guides/testing.md')}`,
  options: {
    ...CATALOG_OPTION,
    label: {
      type: 'string',
      value: '<label>',
      help: 'test the version that this label serves; default: the drafts',
    },
    against: {
      type: 'string',
      value: '<which>',
      help: 'also compare every render with that of a version, a label or head',
    },
    update: {
      type: 'boolean',
      short: 'u',
      help: 'write snapshots instead of comparing them; not allowed when CI is set',
    },
    grep: { type: 'string', value: '<pattern>', help: 'only tests whose name matches, a regular expression' },
    bail: { type: 'boolean', help: 'stop at the first failure' },
    coverage: { type: 'boolean', help: 'also list lines, branches and variables that no test renders' },
    mutate: {
      type: 'boolean',
      help: 'also change the prompts one thing at a time, and list changes that no test notices',
    },
    record: {
      type: 'boolean',
      help: 'ask the configured model for answers that are on no tape, and keep them in __tapes__',
    },
    live: { type: 'boolean', help: 'call the tools that a test does not replace' },
    'skip-unknown': { type: 'boolean', help: 'ignore unknown fields and assertions' },
    format: { type: 'string', value: '<format>', help: `one of ${REPORT_FORMATS.join(', ')}` },
    json: { type: 'boolean', help: 'print one JSON object, as --format json' },
    junit: { type: 'string', value: '<file>', help: 'also write the results as JUnit XML' },
    watch: {
      type: 'boolean',
      help: 'run again after every change what it reaches, until interrupted; all tests where a test changed',
    },
    limit: { type: 'string', value: '<n>', help: 'with --watch: exit after n runs' },
  },
  examples: [
    'test my-prompts',
    'test my-prompts --update',
    'test tests/review.test.yaml --catalog my-prompts --format github --junit junit.xml',
  ],
  positionals: [0, 1_000],
  async run(words, values, context) {
    const format = formatOption(values, REPORT_FORMATS)
    const runs = runsOption(values)
    const options = optionsOf(values, context)
    const catalog = catalogOption(values) ?? catalogOf(words, context)
    const shell = await openCatalog(context, catalog)
    const answering = openAnswering(shell, loadCatalogConfig(context, catalog), values)
    const changes = new ChangeWatch(shell.registry)
    try {
      let reached: ReadonlySet<string> | undefined
      for (let left = runs - 1; ; left -= 1) {
        const files = testFiles(words, catalog ?? context.environment['CATALOG_DIR'])
        const dependencies = dependenciesOf(shell, values, answering)
        const result = await runFiles(files, dependencies, { ...options, reached })
        await report(result, format, textOption(values, 'junit'), context)
        const isNoticed = !result.passes || (await examine(files, shell, values, context))
        if (left <= 0) return result.passes && isNoticed ? EXIT.ok : EXIT.failed
        changes.follow(files)
        reached = await nextReached(changes, shell)
      }
    } finally {
      changes.close()
      await shell.close()
    }
  },
}

/** Waits for a change: the ids of the prompts that it reaches, undefined for all. One that reaches none is waited out. */
async function nextReached(
  changes: ChangeWatch,
  { registry }: Shell,
): Promise<ReadonlySet<string> | undefined> {
  for (;;) {
    const { events, isAnything } = await changes.next()
    if (isAnything) return undefined
    const reached = await promptsReachedBy(events, registry.current)
    if (reached.size > 0) return reached
  }
}

/** What `--coverage` and `--mutate` add to tests that passed; false where a changed prompt passed, too. */
async function examine(
  files: readonly string[],
  shell: Shell,
  values: OptionValues,
  { stdout }: CliContext,
): Promise<boolean> {
  const { coverage, mutate: mutates, json, format } = values
  if (coverage !== true && mutates !== true) return true
  const asJson = json === true || format === 'json'
  const read = files.map(readTestFile)
  const dependencies = dependenciesOf(shell, values)
  if (coverage === true) {
    const found = await coverageOf(read, dependencies)
    stdout(`${asJson ? stringifyJson(found, 2) : coverageReport(found)}\n`)
  }
  if (mutates !== true) return true
  const found = await mutate(read, dependencies)
  stdout(`${asJson ? stringifyJson(found, 2) : mutationReport(found)}\n`)
  return found.survivors.length === 0
}

/** What answers tests with `answer: tape`. @throws UsageError for `--record` without a model */
function openAnswering({ model, renderer }: Shell, config: Config, values: OptionValues): Answering {
  const { upstreams, tapes, defaultModel } = toLlmSettings(config)
  const records = values['record'] === true
  if (records && upstreams.length + tapes.length === 0)
    throw new UsageError('--record needs a model: set LLM_BASE_URL, or upstreams in CONFIG_FILE')
  const secrets = upstreams.flatMap(({ apiKey, headers }) => secretsOf(apiKey, headers))
  return {
    chat: createChat({ renderer, defaultModel: UNNAMED, systemPrompt: config.llmSystemPrompt }),
    tapes: openTapedAnswers({
      ...{ defaultModel, secrets, prices: config.file.prices },
      recorded: records ? model : undefined,
    }),
  }
}

function dependenciesOf(
  { registry, renderer, tools }: Shell,
  values: OptionValues,
  answering?: Answering,
): ProofDependencies {
  const label = textOption(values, 'label')
  const now = () => performance.now()
  const against = textOption(values, 'against')
  return {
    registry,
    renderer,
    label,
    against,
    answering,
    now,
    ...(values['live'] === true && { liveTools: tools }),
  }
}

async function report(
  result: RunResult,
  format: ReportFormat,
  junit: string | undefined,
  { stdout }: CliContext,
): Promise<void> {
  stdout(`${formatReport(result, format)}\n`)
  if (junit !== undefined) await writeFile(junit, junitReport(result))
}

function optionsOf(values: OptionValues, { environment }: CliContext): RunOptions {
  const isUpdating = values['update'] === true
  const { CI: ci = '' } = environment
  if (isUpdating && ci !== '' && ci !== 'false')
    throw new UsageError('--update is refused where CI is set: snapshots are written and read by people')
  return {
    isUpdating,
    bails: values['bail'] === true,
    skipsUnknown: values['skip-unknown'] === true,
    grep: grepOf(textOption(values, 'grep')),
  }
}

function grepOf(pattern: string | undefined): RegExp | undefined {
  if (pattern === undefined) return undefined
  try {
    return new RegExp(pattern)
  } catch (error) {
    throw new UsageError(`--grep ${pattern}: ${errorMessage(error)}`)
  }
}

/** The catalog that the first word is in, unless the environment names one. */
function catalogOf([word]: readonly string[], { environment }: CliContext): string | undefined {
  if (word !== undefined && existsSync(word)) {
    const above = catalogAbove(word)
    if (above !== undefined) return above
  }
  const isConfigured = ['REDIS_URL', 'REDIS_URL_FILE', 'CATALOG_DIR'].some(
    (name) => environment[name] !== undefined,
  )
  return word !== undefined || isConfigured ? undefined : catalogAbove('.')
}

/** @throws UsageError for a word that is not there, and where there are no tests */
function testFiles(words: readonly string[], catalog: string | undefined): readonly string[] {
  const missing = words.find((word) => !existsSync(word))
  if (missing !== undefined)
    throw new UsageError(
      isLocation(missing) || isUrl(missing)
        ? `${missing} is not a file or folder of tests: name a catalog with --catalog`
        : `${missing} does not exist`,
    )
  const places = words.length > 0 ? words : [usualFolder(catalog)]
  const files = findTestFiles(places)
  if (files.length === 0) throw new UsageError(`no tests: ${places.join(', ')} has no file named *.test.yaml`)
  return files
}

/** The folder `tests` of a catalog in a directory, else that of the working directory. */
function usualFolder(catalog: string | undefined): string {
  const inCatalog = catalog === undefined || isUrl(catalog) ? undefined : join(catalog, 'tests')
  const found = [inCatalog, 'tests'].find((folder) => folder !== undefined && isFolder(folder))
  if (found === undefined)
    throw new UsageError(`no tests: there is no folder ${inCatalog ?? 'tests'}; name files or folders`)
  return found
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
