import { AnsweredCompletion } from '../llm/answered-completion.js'
import { openChunkStream } from '../llm/chat/chunk-stream.js'
import { wantsUsage } from '../llm/chat/stream-usage.js'
import { toCompletion, toDeltaChunk, toUsageChunk } from '../llm/chat/write-completion.js'
import type {
  AnsweringModel,
  CallOptions,
  Completion,
  CompletionStream,
  ModelRequest,
  Usage,
} from '../llm/model.js'
import { requestMessages } from '../llm/request-messages.js'
import { toWireCounts } from '../llm/usage.js'
import { answerId } from '../util/answer-id.js'
import type { CallContext } from '../util/call-context.js'
import { copyInto } from '../util/define.js'
import { type JsonObject, type JsonValue, stringifyJson } from '../util/json/json.js'
import type { Clock } from '../util/time/clock.js'
import { countCalls } from './counting-model.js'
import type { TurnResult } from './cycle/turn-event.js'
import type { TurnRun } from './cycle/turn-run.js'
import type { PreparedAgent } from './prepared-agent.js'
import { type AgentRuns, runAgent } from './run-agent.js'
import { type KeptEnd, type KeptRun, runKeptAgent } from './run-kept-agent.js'

export interface LoopModelDependencies extends AgentRuns {
  /** Who answers; asked once per request. */
  readonly prepare: (request: ModelRequest, call: CallContext) => PreparedAgent | Promise<PreparedAgent>
  readonly clock: Clock
}

/** A model that is the whole loop. */
export interface LoopModel extends AnsweringModel {
  /** Answers a request so that another process can continue it. @throws ServiceError as the loop does */
  run(request: ModelRequest, kept: KeptRun): Promise<KeptEnd>
}

/** Of a request: the conversation, what is about the stream, and what the loop says itself. */
const NOT_PASSED: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice', 'n'],
])

/**
 * A model that is the whole loop: it calls tools until it has an answer, and gives it as one chat completion. Its usage
 * is that of all steps. In a stream, text is not retracted, and the texts of steps are separated by a blank line.
 *
 * @throws ServiceError as the loop does
 */
export function createLoopModel(dependencies: LoopModelDependencies): LoopModel {
  return {
    async run(request, kept) {
      const agent = await dependencies.prepare(request, kept.call)
      const messages = requestMessages(request)
      return runKeptAgent(
        dependencies,
        { ...agent, parameters: parametersOf(agent, request) },
        messages,
        kept,
      )
    },
    async complete(request, options) {
      const answer = await begin(dependencies, request, options, false)
      return completionOf(answer, await answer.run.result)
    },
    async stream(request, options): Promise<CompletionStream> {
      const answer = await begin(dependencies, request, options, true)
      let usage: Usage | undefined
      const chunks = chunksOf(answer, wantsUsage(request), (spent) => {
        usage = spent
      })
      const { tally } = answer
      return openChunkStream(chunks, () => ({ report: tally.report(), usage: () => usage, cost: tally.cost }))
    },
  }
}

/** An answer on its way. */
interface LoopAnswer {
  readonly run: TurnRun
  readonly tally: ReturnType<typeof countCalls>
  /** What every chunk begins with. */
  readonly head: JsonObject
}

async function begin(
  { model, hooks, prepare, clock, toolTimeoutMs, counter, tracer }: LoopModelDependencies,
  request: ModelRequest,
  { signal, requestId, traceparent }: CallOptions,
  streamed: boolean,
): Promise<LoopAnswer> {
  const call: CallContext = Object.freeze({ requestId, traceparent, signal })
  const agent = await prepare(request, call)
  const tally = countCalls(model, agent.model)
  const run = runAgent({
    agent: { ...agent, parameters: parametersOf(agent, request) },
    model: tally.model,
    hooks,
    messages: requestMessages(request),
    ...{ streamed, mayRollBack: !streamed, call, tracer, toolTimeoutMs, counter },
  })
  const created = Math.floor(clock.now() / 1000)
  const object = streamed ? 'chat.completion.chunk' : 'chat.completion'
  return { run, tally, head: { id: `chatcmpl-${answerId()}`, object, created, model: request.model } }
}

/** The agent's, and on top of them those of the request. */
function parametersOf({ parameters }: PreparedAgent, request: ModelRequest): JsonObject {
  const joined: Record<string, JsonValue> = {}
  copyInto(joined, parameters)
  copyInto(joined, request, NOT_PASSED)
  return joined
}

function completionOf({ head, tally }: LoopAnswer, { message, usage }: TurnResult): Completion {
  const body = toCompletion(head, { ...message }, 'stop', toWireCounts(usage))
  const bytes = Buffer.from(stringifyJson(body))
  return new AnsweredCompletion({ bytes, body, usage }, tally.report(), usage, tally.cost())
}

async function* chunksOf(
  { run, head }: LoopAnswer,
  tellsUsage: boolean,
  spend: (usage: Usage) => void,
): AsyncGenerator<JsonObject, void> {
  let role: JsonObject = { role: 'assistant' }
  const chunk = (delta: JsonObject) => {
    const first = role
    role = {}
    return toDeltaChunk(head, { ...first, ...delta })
  }
  // What parts a step's text from the one before: nothing as long as nothing was said.
  let isSaid = false
  let isNewStep = true
  try {
    for await (const event of run) {
      if (event.type === 'step.started') isNewStep = true
      if (event.type === 'reasoning.delta') yield chunk({ reasoning_content: event.text })
      if (event.type !== 'text.delta') continue
      yield chunk({ content: isNewStep && isSaid ? `\n\n${event.text}` : event.text })
      isSaid = true
      isNewStep = false
    }
    const { message, usage } = await run.result
    spend(usage)
    // The answer was held back while it could have been a call.
    if (isNewStep && typeof message.content === 'string') yield chunk({ content: message.content })
    yield toDeltaChunk(head, {}, 'stop')
    if (tellsUsage) yield toUsageChunk(head, toWireCounts(usage))
  } finally {
    run.cancel()
  }
}
