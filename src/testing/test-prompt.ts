import { resolve } from 'node:path'
import { loadConfig } from '../config.js'
import type { AnsweringModel } from '../llm/model.js'
import { modelNameOf } from '../llm/model-name.js'
import { openShell, type Shell } from '../open-shell.js'
import { createChat } from '../prompts/chat.js'
import { parseTestFile } from '../proof/files/read-test-file.js'
import type { TestCase } from '../proof/files/test-file.js'
import { type Answering, runTest } from '../proof/run-test.js'
import type { TestOutput } from '../proof/snapshots.js'
import { openTapedAnswers, UNNAMED } from '../proof/taped-answers.js'
import { type JsonObject, type JsonValue, stringifyJson } from '../util/json/json.js'
import { unguarded } from '../util/slices/slice.js'
import { silentLogger } from '../util/telemetry/logger.js'

/** A catalog that is open for tests. */
export interface PromptCatalog {
  /** As `testPrompt`, with this catalog. @throws PromptTestError */
  test(test: Omit<PromptTest, 'catalog'>): Promise<RenderedOutput | undefined>
  close(): Promise<void>
}

/** What a prompt rendered to: a text, or the messages of a conversation. */
export type RenderedOutput = TestOutput

/** An assertion: a name such as `contains`, as the guide to tests lists them, with or without `not-`, and what it takes. */
export interface PromptAssertion {
  readonly type: string
  readonly value?: JsonValue
  readonly threshold?: number
  readonly weight?: number
}

/** What a test renders with; as in a file of tests. */
export interface PromptSetup {
  /** A directory, or a catalog that `openPromptCatalog` opened: many tests share one. */
  readonly catalog: string | PromptCatalog
  readonly vars?: JsonObject
  /** The name of one of the prompt's `examples`, beneath `vars`. */
  readonly example?: string
  /** Values by dotted path, in place of the shared context; null removes one. */
  readonly environs?: JsonObject
  /** `{ result }` or `{ error }` by id or function name. */
  readonly tools?: Readonly<Record<string, { readonly result: JsonValue } | { readonly error: string }>>
  /** `tape`: a model's answer to the render is judged, from a tape in `__tapes__`. Default: the render is. */
  readonly answer?: 'tape' | 'none'
}

/** Where the answers of tests are. */
export interface AnswerOptions {
  /** The folder that `__tapes__` is in, and where `file://` begins. Default: the working directory. */
  readonly folder?: string
  /** Is asked for what is on no tape, and its answers are kept there. Default: such a test fails. */
  readonly record?: AnsweringModel
  /** The model's name, for prompts that name none, while recording. */
  readonly model?: string
}

/** A test of a prompt. */
export interface PromptTest extends PromptSetup {
  /** Its id. */
  readonly prompt: string
  readonly assert: readonly PromptAssertion[]
}

/** A test that failed; the message has every reason, a line each. */
export class PromptTestError extends Error {
  override readonly name = 'PromptTestError'
}

/** Opens a directory of prompts for tests. The caller closes it. @throws ConfigError, and Error if it cannot be read */
export async function openPromptCatalog(
  directory: string,
  answers: AnswerOptions = {},
): Promise<PromptCatalog> {
  const config = loadConfig({ environment: { CATALOG_DIR: resolve(directory) } })
  const shell = await openShell(config, { logger: silentLogger(), guard: unguarded })
  await shell.registry.whenReady()
  const folder = resolve(answers.folder ?? '.')
  const answering = openAnswering(shell, answers)
  return { test: (test) => runIn(shell, toTestCase(test), folder, answering), close: () => shell.close() }
}

function openAnswering({ renderer }: Shell, { record, model }: AnswerOptions): Answering {
  return {
    chat: createChat({ renderer, defaultModel: UNNAMED }),
    tapes: openTapedAnswers({
      recorded: record,
      defaultModel: record === undefined ? model : modelNameOf(record, model),
      ...NOTHING_CONFIGURED,
    }),
  }
}

/** A program's own model has no prices and no keys that this package knows of. */
const NOTHING_CONFIGURED = { prices: {}, secrets: [] } as const

async function runIn(
  { registry, renderer }: Shell,
  test: TestCase,
  folder: string,
  answering: Answering,
): Promise<RenderedOutput | undefined> {
  const dependencies = { registry, renderer, answering, now: () => performance.now() }
  const { failures, rendered } = await runTest(test, folder, dependencies, NO_SNAPSHOTS)
  if (failures.length > 0) throw new PromptTestError(failures.map(({ message }) => message).join('\n'))
  return rendered
}

/** Runners keep snapshots of their own. */
const NO_SNAPSHOTS = {
  compare() {
    throw new PromptTestError(
      'snapshot: compare what testPrompt answers with the snapshots of your test runner',
    )
  },
}

/**
 * Renders a prompt as the service does and judges it: for vitest, node:test and every other runner.
 *
 * @param answers where tapes are, for `answer: 'tape'`; of an open catalog they are those it was opened with
 * @returns what rendered: a text, or messages; undefined where the render failed as the test expects
 * @throws PromptTestError with every assertion that does not hold, and for fields and assertions that are not known
 */
export async function testPrompt(
  { catalog, ...test }: PromptTest,
  answers?: AnswerOptions,
): Promise<RenderedOutput | undefined> {
  if (typeof catalog !== 'string') return catalog.test(test)
  const opened = await openPromptCatalog(catalog, answers)
  try {
    return await opened.test(test)
  } finally {
    await opened.close()
  }
}

/** Read as a test file is, so that both take the same and refuse the same. */
function toTestCase(test: Omit<PromptTest, 'catalog'>): TestCase {
  const { tests, problems } = parseTestFile(resolve('test'), stringifyJson({ tests: [test] }))
  const [read] = tests
  if (problems.length > 0 || read === undefined)
    throw new PromptTestError(problems.map(({ message }) => message).join('\n'))
  return read
}

/** What a prompt renders to, and claims about it. */
export interface PromptExpectation {
  /** @throws PromptTestError unless the assertion holds */
  to(type: string, value?: JsonValue, more?: Pick<PromptAssertion, 'threshold'>): Promise<void>
  /** @throws PromptTestError if the assertion holds */
  not(type: string, value?: JsonValue, more?: Pick<PromptAssertion, 'threshold'>): Promise<void>
}

/** Claims about a prompt, one by one: `await expectPrompt('hello.greeting', setup).to('contains', 'Ada')`. */
export function expectPrompt(prompt: string, setup: PromptSetup): PromptExpectation {
  const claim = async (
    type: string,
    value: JsonValue | undefined,
    more: Pick<PromptAssertion, 'threshold'>,
  ) => {
    const assertion = { type, ...(value !== undefined && { value }), ...more }
    await testPrompt({ ...setup, prompt, assert: [assertion] })
  }
  return {
    to: (type, value, more = {}) => claim(type, value, more),
    not: (type, value, more = {}) => claim(`not-${type}`, value, more),
  }
}
