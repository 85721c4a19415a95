import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toLlmSettings } from '../../llm/llm-settings.js'
import type { Shell } from '../../open-shell.js'
import { createChat } from '../../prompts/chat.js'
import { readTestFile } from '../../proof/files/read-test-file.js'
import { findTestFiles } from '../../proof/find-test-files.js'
import { bodyOf, withBody } from '../../proof/improve/candidate.js'
import { type SplitTests, splitTests } from '../../proof/improve/split-tests.js'
import type { ProofDependencies } from '../../proof/run-test.js'
import { openLiveAnswers, UNNAMED } from '../../proof/taped-answers.js'
import { type PlacedTest, testedPrompts } from '../../proof/tested-prompts.js'
import type { PromptEntry } from '../../registry/snapshot.js'
import { fileText } from '../../store/directory-writer.js'
import type { ProgramTaskEvent } from '../../tasks/reflective-task.js'
import { canonicalJson } from '../../util/json/canonical-json.js'
import { stringifyJson, textOrJson } from '../../util/json/json.js'
import { jsonObject } from '../../util/json/json-fields.js'
import { documentAt } from '../../util/packages/version.js'
import { wordDiff } from '../../util/text/word-diff.js'
import { CATALOG_OPTION, catalogOption } from '../catalog-option.js'
import { loadCatalogConfig, openCatalog } from '../catalog-source.js'
import { type CliContext, type Command, EXIT, type OptionValues, UsageError } from '../command.js'
import { isUrl } from '../location.js'
import { textOption } from '../option-values.js'
import { ImproveFile } from './improve-file.js'
import { type Improvement, improvePrompt, type TriedCandidate } from './improve-prompt.js'

const DEFAULTS = { rounds: 5, heldOut: 30, maxTokens: 200_000 } as const

/** `improve`: a model rewrites a prompt until its tests pass. */
export const improve: Command = {
  usage: ['improve <prompt id> [test files or folders…] [options]'],
  about: `Lets the configured model rewrite a prompt: it reads which tests fail and why, tries new texts, and reflects on what
the tests say, round by round. Some tests are held out: the model never sees them, and a text that fails more of them
than before is not chosen. Prints the best candidates by passed tests and tokens. The catalog is not changed. Progress
is kept in a file: the same command continues after an interruption. Exits with code 1 if
nothing better was found. The guide:
${documentAt('guides/testing.md')}`,
  options: {
    ...CATALOG_OPTION,
    model: { type: 'string', value: '<name>', help: 'the model that rewrites; default: LLM_MODEL' },
    rounds: { type: 'string', value: '<n>', help: `maximum number of rounds; default: ${DEFAULTS.rounds}` },
    'held-out': {
      type: 'string',
      value: '<percent>',
      help: `share of the tests that is held out; default: ${DEFAULTS.heldOut}`,
    },
    'max-tokens': {
      type: 'string',
      value: '<n>',
      help: `tokens that the model may use; default: ${DEFAULTS.maxTokens}`,
    },
    'max-cost': { type: 'string', value: '<n>', help: 'cost in the currency of the configured prices' },
    out: { type: 'string', value: '<file>', help: 'write the better prompt to this file' },
    state: {
      type: 'string',
      value: '<file>',
      help: 'where to keep the work; default: <prompt id>.improve.json',
    },
    json: { type: 'boolean', help: 'print one JSON object' },
  },
  examples: [
    'improve review.code_review --catalog my-prompts --out draft.yaml',
    'improve review.code_review my-prompts/tests/review.test.yaml --rounds 3 --max-tokens 50000',
  ],
  positionals: [1, 1_000],
  async run([id = '', ...words], values, context) {
    const numbers = numbersOf(values)
    const location = catalogOption(values)
    const shell = await openCatalog(context, location)
    try {
      const files = findTestFiles(words.length > 0 ? words : [testFolder(location, context)])
      const { prompt, tests } = testsOf(id, files, shell)
      const split = splitOf(id, tests, numbers.heldOut)
      const file = await ImproveFile.open(
        textOption(values, 'state') ?? `${id}.improve.json`,
        keyOf(prompt, tests, numbers.heldOut),
      )
      const model = modelOf(values, context, location)
      const dependencies = dependenciesOf(shell, context, location, file)
      const result = await improvePrompt({
        ...{ prompt, dependencies, model, file, tests: split },
        provider: shell.model,
        rounds: numbers.rounds,
        maxTokens: numbers.maxTokens,
        maxCost: numbers.maxCost,
        onEvent: (event) => printProgress(event, context),
      })
      await print(prompt, split, result, values, context)
      return result.better === undefined ? EXIT.failed : EXIT.ok
    } finally {
      await shell.close()
    }
  },
}

/** @throws UsageError */
function numbersOf(values: OptionValues) {
  const read = (name: string, usual: number, least: number, most: number): number => {
    const text = textOption(values, name)
    const number = text === undefined ? usual : Number(text)
    if (Number.isFinite(number) && number >= least && number <= most) return number
    throw new UsageError(`--${name} ${text}: a number from ${least} to ${most}`)
  }
  const whole = (name: string, usual: number, least: number, most: number) =>
    Math.floor(read(name, usual, least, most))
  const unbounded = textOption(values, 'max-cost') === undefined
  return {
    rounds: whole('rounds', DEFAULTS.rounds, 1, 100),
    heldOut: read('held-out', DEFAULTS.heldOut, 0, 100),
    maxTokens: whole('max-tokens', DEFAULTS.maxTokens, 1, Number.MAX_SAFE_INTEGER),
    maxCost: unbounded ? undefined : read('max-cost', 0, 0, Number.MAX_VALUE),
  }
}

/** @throws UsageError */
function testFolder(location: string | undefined, { environment }: CliContext): string {
  const catalog = location ?? environment['CATALOG_DIR']
  if (catalog !== undefined && !isUrl(catalog)) return join(catalog, 'tests')
  throw new UsageError('name the files with tests: improve <prompt id> <files>')
}

/** @throws UsageError for a prompt that is not there, without tests, or with files that cannot be read */
function testsOf(id: string, paths: readonly string[], { registry }: Shell) {
  const files = paths.map(readTestFile)
  const problem = files.flatMap((file) =>
    file.problems.map(({ message, line }) => `${file.path}:${line}: ${message}`),
  )[0]
  if (problem !== undefined) throw new UsageError(problem)
  if (!registry.current.prompts.has(id)) throw new UsageError(`there is no prompt ${id}`)
  const found = testedPrompts(files, registry).find(({ prompt }) => prompt.id === id)
  if (found === undefined)
    throw new UsageError(`no test renders ${id}: write some first (${documentAt('guides/testing.md')})`)
  return found
}

/** @throws UsageError for a prompt with one test */
function splitOf(id: string, tests: readonly PlacedTest[], percent: number): SplitTests {
  if (tests.length < 2)
    throw new UsageError(`${id} has one test: one is learned from and one is held out, so it needs two`)
  return splitTests(tests, percent)
}

/** Names prompt and tests: what was found for others is not used. */
function keyOf(prompt: PromptEntry, tests: readonly PlacedTest[], percent: number): string {
  const cases = tests.map(({ test: { line, ...test } }) =>
    jsonObject({
      ...test,
      tools: [...test.tools],
      claims: test.claims.map(({ line: _, ...claim }) => claim),
    }),
  )
  return createHash('sha256')
    .update(canonicalJson({ id: prompt.id, body: bodyOf(prompt), percent, cases }))
    .digest('hex')
}

/** @throws UsageError without a model */
function modelOf(values: OptionValues, context: CliContext, location: string | undefined): string {
  const { upstreams, tapes, defaultModel } = toLlmSettings(loadCatalogConfig(context, location))
  const model = textOption(values, 'model') ?? defaultModel
  if (model !== undefined && upstreams.length + tapes.length > 0) return model
  throw new UsageError(
    'improve needs a model: set LLM_BASE_URL and LLM_MODEL, or upstreams in CONFIG_FILE and --model',
  )
}

/** Tests with `answer: tape` ask the model: no tape has the answer to a new text. */
function dependenciesOf(
  { registry, renderer, model }: Shell,
  context: CliContext,
  location: string | undefined,
  file: ImproveFile,
): ProofDependencies {
  const config = loadCatalogConfig(context, location)
  const { defaultModel } = toLlmSettings(config)
  const answers = { recorded: model, defaultModel, prices: config.file.prices, secrets: [] }
  return {
    ...{ registry, renderer },
    answering: {
      chat: createChat({ renderer, defaultModel: UNNAMED, systemPrompt: config.llmSystemPrompt }),
      tapes: openLiveAnswers(answers, (tokens) => file.spend(tokens)),
    },
    now: () => performance.now(),
  }
}

function printProgress(event: ProgramTaskEvent, { stderr }: CliContext): void {
  if (event.type === 'phase.started') stderr(`round ${event.round}: ${event.phase}\n`)
  if (event.type === 'evaluation') stderr(`  ${event.evaluation.overallScore} of 100\n`)
  if (event.type === 'reflection')
    for (const cause of event.reflection.rootCauses) stderr(`  because ${cause}\n`)
}

async function print(
  prompt: PromptEntry,
  split: SplitTests,
  result: Improvement,
  values: OptionValues,
  { stdout }: CliContext,
): Promise<void> {
  const { better } = result
  const out = textOption(values, 'out')
  if (better !== undefined && out !== undefined)
    await writeFile(out, fileText(out, withBody(prompt, better.body).document))
  if (values['json'] === true) stdout(`${stringifyJson(jsonObject(shown(prompt, result)), 2)}\n`)
  else stdout(`${report(prompt, split, result, out)}\n`)
}

function shown({ id }: PromptEntry, { now, front, better, candidates, task }: Improvement): object {
  const of = ({ body, train, heldOut }: TriedCandidate) => ({
    ...body,
    train: { passed: train.passed, total: train.total },
    held_out: { passed: heldOut.passed, total: heldOut.total },
    tokens: train.tokens,
  })
  return {
    prompt: id,
    ended_by: task.endedBy,
    rounds: task.rounds,
    usage: task.usage,
    candidates,
    now: of(now),
    front: front.map(of),
    better: better === undefined ? null : of(better),
  }
}

function report(
  prompt: PromptEntry,
  { train, heldOut }: SplitTests,
  { now, front, better, candidates, task }: Improvement,
  out: string | undefined,
): string {
  const rows = [now, ...front].map((each, index) => {
    const name = index === 0 ? 'now' : `candidate ${index}`
    const score = `${each.train.passed}/${each.train.total}`
    const held = `${each.heldOut.passed}/${each.heldOut.total}`
    const mark = each === better ? '  better' : ''
    return `${name.padEnd(14)}${score.padEnd(9)}${held.padEnd(10)}${each.train.tokens}${mark}`
  })
  const lines = [
    `${prompt.id}: ${train.length} tests to learn from, ${heldOut.length} held out; ${candidates} candidates in ${task.rounds} rounds (${task.endedBy})`,
    `${''.padEnd(14)}${'train'.padEnd(9)}${'held out'.padEnd(10)}tokens`,
    ...rows,
  ]
  if (better === undefined) return [...lines, 'Nothing better was found.'].join('\n')
  const place = out === undefined ? 'Write it to a file with --out.' : `Written to ${out}.`
  const diff = wordDiff(textOrJson(bodyTextOf(now)), textOrJson(bodyTextOf(better)))
  return [...lines, '', diff, '', `Nothing was published. ${place}`].join('\n')
}

function bodyTextOf({ body }: TriedCandidate) {
  return Object.values(body)[0] ?? ''
}
