import { createHash } from 'node:crypto'
import { countTokens } from '../../prompts/count-tokens.js'
import { normalisePrompt } from '../../registry/normalise-prompt.js'
import type { PromptEntry } from '../../registry/snapshot.js'
import { canonicalJson } from '../../util/json/canonical-json.js'
import { isJsonObject, type JsonObject, textOrJson } from '../../util/json/json.js'
import { RENDERS, SNAPSHOT } from '../assertions/assertions.js'
import { withDefinition } from '../changed-prompt.js'
import { type ProofDependencies, runTest } from '../run-test.js'
import type { TestOutput } from '../snapshots.js'
import type { PlacedTest } from '../tested-prompts.js'

/** A test that a prompt fails, as a model reads it. */
export interface FailedCase {
  readonly test: string
  readonly variables: JsonObject
  readonly reasons: readonly string[]
}

/** How a prompt does with a set of tests. */
export interface Score {
  readonly passed: number
  readonly total: number
  /** Of one render, on average. */
  readonly tokens: number
  readonly failed: readonly FailedCase[]
}

/**
 * Runs tests with a prompt in place of the catalog's. Assertions that hold a text to what it was, `snapshot` and
 * `renders`, are left out: a candidate differs.
 */
export async function scoreOf(
  prompt: PromptEntry,
  tests: readonly PlacedTest[],
  dependencies: ProofDependencies,
): Promise<Score> {
  const failed: FailedCase[] = []
  const sizes: number[] = []
  for (const { test, folder, snapshots } of tests) {
    const claims = test.claims.filter(({ type }) => type !== SNAPSHOT && type !== RENDERS)
    const replaced = { ...dependencies, replaced: prompt }
    const { passes, failures, rendered } = await runTest({ ...test, claims }, folder, replaced, snapshots)
    if (!passes)
      failed.push({
        test: test.name,
        variables: test.vars,
        reasons: failures.map(({ message }) => message),
      })
    if (rendered !== undefined) sizes.push(await countTokens(textsOf(rendered)))
  }
  const sum = sizes.reduce((all, size) => all + size, 0)
  const tokens = sizes.length === 0 ? 0 : Math.round(sum / sizes.length)
  return { passed: tests.length - failed.length, total: tests.length, tokens, failed }
}

function textsOf(rendered: TestOutput): readonly string[] {
  return typeof rendered === 'string'
    ? [rendered]
    : rendered.map((message) => textOrJson(isJsonObject(message) ? (message['content'] ?? '') : ''))
}

/** The fields of a prompt that a candidate has of its own: its text, or its messages. */
export function bodyOf({ document, definition: { body } }: PromptEntry): JsonObject {
  const field = body.kind === 'prompt' ? body.field : 'messages'
  return { [field]: document[field] ?? null }
}

/** A name for a body: equal bodies have equal names. */
export function digestOfBody(body: JsonObject): string {
  return createHash('sha256').update(canonicalJson(body)).digest('hex').slice(0, 16)
}

/** The prompt with the body of a candidate. @throws DocumentError for one that is not a valid prompt */
export function withBody(prompt: PromptEntry, body: JsonObject): PromptEntry {
  const document = { ...prompt.document, ...body }
  const definition = normalisePrompt(document, prompt.definition.name)
  return { ...withDefinition(prompt, definition, `candidate ${digestOfBody(body)}`), document }
}
