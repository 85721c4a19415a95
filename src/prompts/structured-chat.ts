import { AnsweredCompletion } from '../llm/answered-completion.js'
import { StreamReader } from '../llm/chat/read-stream.js'
import { StreamCollector } from '../llm/chat/stream-collector.js'
import type { AnsweringModel, CallOptions, Completion, CompletionStream, ModelRequest } from '../llm/model.js'
import { addUsage } from '../llm/usage.js'
import { type JsonObject, type JsonValue, own } from '../util/json/json.js'
import {
  type AnswerCheck,
  badAnswer,
  findViolations,
  repairMessages,
  type Violation,
} from './structured-output.js'

/** How answers are held to a prompt's `returns`. */
export interface StructuredOutput {
  readonly check: AnswerCheck
  /** Ask once more when the answer does not fit; a stream cannot be asked for again. */
  readonly repair: boolean
}

/**
 * A model that passes on only answers that fit a schema. Of a stream that shows at its end: its events come as they
 * are, and fail after the last one.
 *
 * @throws ModelError `llm_bad_response` with the violations, or as the model
 */
export function createStructuredModel(model: AnsweringModel, structured: StructuredOutput): AnsweringModel {
  const { check, repair } = structured
  return {
    async complete(request, options) {
      const first = await model.complete(request, options)
      const body = first.body
      const violations = findViolations(body, check)
      if (violations.length === 0) return first
      if (!repair) throw badAnswer(violations, first.report)
      const asked = withMessages(request, repairMessages(body, violations))
      const second = sumOf(first, await model.complete(asked, options))
      assertNone(findViolations(second.body, check), second)
      return second
    },
    async stream(request: ModelRequest, options: CallOptions): Promise<CompletionStream> {
      const stream = await model.stream(request, options)
      const { report, ended } = stream
      const events = checkedEvents(stream, check)
      return { events, report, ended, usage: () => stream.usage(), cost: () => stream.cost?.() }
    },
  }
}

async function* checkedEvents(stream: CompletionStream, check: AnswerCheck): AsyncGenerator<Buffer, void> {
  const reader = new StreamReader()
  const collector = new StreamCollector()
  for await (const events of stream.events) {
    for (const event of reader.push(events)) collector.add(event)
    yield events
  }
  const { text, toolCalls, refusal } = collector.completion()
  const saysOther = text === '' && (toolCalls.length > 0 || refusal !== undefined)
  if (!saysOther) assertNone(check(text), stream)
}

function assertNone(violations: readonly Violation[], { report }: Pick<Completion, 'report'>): void {
  if (violations.length > 0) throw badAnswer(violations, report)
}

function withMessages(request: ModelRequest, added: readonly JsonObject[]): ModelRequest {
  const messages: JsonValue = own(request, 'messages') ?? []
  return { ...request, messages: [...(Array.isArray(messages) ? messages : []), ...added] }
}

/** The second answer; attempts, time, tokens and cost of both. */
function sumOf(first: Completion, second: Completion): Completion {
  const report = {
    ...second.report,
    attempts: first.report.attempts + second.report.attempts,
    upstreamMs: first.report.upstreamMs + second.report.upstreamMs,
  }
  const cost = first.cost === undefined || second.cost === undefined ? undefined : first.cost + second.cost
  const usage = first.usage === undefined ? second.usage : addUsage(first.usage, second.usage)
  return new AnsweredCompletion(second, report, usage, cost)
}
