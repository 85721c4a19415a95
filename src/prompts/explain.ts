import type { ExplanationShape } from '../schema/api.js'
import type { ReadonlyStatic } from '../schema/readonly-static.js'
import type { VariableReference } from '../template/host.js'
import { type JsonObject, type JsonValue, stringifyJson } from '../util/json/json.js'
import { valueAt } from '../util/json/json-path.js'
import { countTokens } from './count-tokens.js'
import type { GuardedWork } from './guarded-work.js'
import { type Renderer, workOf } from './render.js'
import { createRenderPlan, type MessageSpan } from './render-plan.js'
import type { RenderRequest } from './render-request.js'
import type { RenderedJson, RenderedPrompt } from './rendered-prompt.js'
import { tokenBill } from './token-bill.js'
import type { DryRun, ToolTrace } from './tool-functions.js'
import { createVariablesCheck } from './variables.js'

/** A path that the prompt's templates read. */
export interface ExplainedVariable {
  readonly path: string
  readonly found: boolean
  /** True if some renders do not read it. */
  readonly conditional: boolean
  /** Left out when it is long. */
  readonly value?: JsonValue
}

/** One stretch of the time line, from the start of the render. */
export interface ExplainedSpan {
  readonly name: string
  readonly start_ms: number
  readonly duration_ms: number
}

/** A tool call, as `?explain=true` reports it. */
export type ExplainedCall = Omit<ToolTrace, 'startedAt' | 'durationMs'> &
  Pick<ExplainedSpan, 'start_ms' | 'duration_ms'>

/** What happened while a prompt rendered. */
export type Explanation = Omit<ReadonlyStatic<typeof ExplanationShape>, 'variables' | 'tools' | 'spans'> & {
  readonly variables: readonly ExplainedVariable[]
  readonly tools: readonly ExplainedCall[]
  /** Where every character comes from: a list for each message, one for a text. */
  readonly spans?: readonly (readonly MessageSpan[])[]
}

/** What is reported besides variables, tools and times. */
export type ExplainDetail = 'none' | 'spans' | 'tokens'

export interface ExplainOptions {
  readonly renderer: Renderer
  /** Does what the request's own variables may make long. */
  readonly guarded: GuardedWork
  readonly dryRun: DryRun
  /** Whether the origin of every character is reported, or that of the tokens. */
  readonly detail: ExplainDetail
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** Longer values would bury the rest. */
const SHOWN_LENGTH = 500

/** Renders a prompt and reports what happened. Errors are those of a plain render. */
export async function explainRender(
  request: RenderRequest,
  options: ExplainOptions,
): Promise<{ readonly rendered: RenderedJson; readonly explanation: Explanation }> {
  const { renderer, dryRun, detail, now } = options
  const startedAt = now()
  const traces: ToolTrace[] = []
  const observation = { dryRun, onCall: (trace: ToolTrace) => void traces.push(trace) }
  const observed = { ...request, tools: observation }
  const traced = detail !== 'none' ? await renderer.trace(observed) : undefined
  const prompt = traced?.prompt ?? (await renderer.render(observed))
  const rendered = { name: 'render', start_ms: 0, duration_ms: now() - startedAt }
  const tools = traces.map((trace) => toCall(trace, startedAt)).sort(byStart)
  const tokens = await countTokens(textsOf(prompt))
  const bill = traced !== undefined && detail === 'tokens' ? await tokenBill(traced, request) : undefined
  const explanation = {
    dry_run: dryRun !== 'false',
    variables: options.guarded.run(workOf(request), () => explainVariables(request)),
    tools,
    tokens,
    timeline: [rendered, ...tools.map(toSpan)],
    ...(traced !== undefined && detail === 'spans' && { spans: traced.spans }),
    ...(bill !== undefined && { tokens_by_origin: bill.origins, prefix: bill.prefix }),
  }
  return { rendered: toJson(prompt), explanation }
}

function toCall({ startedAt, durationMs, ...trace }: ToolTrace, renderStartedAt: number): ExplainedCall {
  return { ...trace, start_ms: startedAt - renderStartedAt, duration_ms: durationMs }
}

function toSpan({ function: name, start_ms, duration_ms }: ExplainedCall): ExplainedSpan {
  return { name, start_ms, duration_ms }
}

function byStart(one: ExplainedSpan | ExplainedCall, other: ExplainedSpan | ExplainedCall): number {
  return one.start_ms - other.start_ms
}

function explainVariables(request: RenderRequest): readonly ExplainedVariable[] {
  const { compiled, snapshot, definition } = request
  const { variables } = createVariablesCheck(definition.parameters)(request.variables)
  const byPath = new Map<string, VariableReference>()
  for (const reference of createRenderPlan(compiled).references) {
    const path = reference.path.join('.')
    const known = byPath.get(path)
    if (known === undefined || known.conditional) byPath.set(path, reference)
  }
  const entries: JsonObject = { variables, args: variables }
  return [...byPath].map(([path, reference]) => {
    const [first = ''] = reference.path
    const value = valueAt(Object.hasOwn(entries, first) ? entries : snapshot.context, reference.path)
    const { conditional } = reference
    return { path, found: value !== undefined, conditional, ...(isShort(value) ? { value } : {}) }
  })
}

function isShort(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && stringifyJson(value).length <= SHOWN_LENGTH
}

function textsOf(prompt: RenderedPrompt): readonly string[] {
  if (prompt.kind === 'prompt') return [prompt.text]
  return prompt.messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? [content]
      : (content ?? []).map((part): JsonValue | undefined => part['text']).filter(isText),
  )
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string'
}

function toJson(prompt: RenderedPrompt): RenderedJson {
  const { kind, warnings } = prompt
  const json = stringifyJson(kind === 'prompt' ? prompt.text : prompt.messages)
  return { kind, warnings, json, isAscii: false }
}
