import { ECHO } from '../llm/echo.js'
import type { ModelRequest } from '../llm/model.js'
import { createReplyUpstream, type Reply } from '../llm/reply-upstream.js'
import { ResilientModel } from '../llm/resilient-model.js'
import { createRouter, type RoutedModel } from '../llm/router.js'
import { DEFAULT_RETRY, type RetryPolicy } from '../transport/resilience/retry.js'
import { DEFAULT_BREAKER } from '../transport/resilience/share-breaker.js'
import { type JsonObject, stringifyJson } from '../util/json/json.js'
import { type Clock, systemClock } from '../util/time/clock.js'

/** A model that returns scripted answers and records its requests. */
export interface ScriptedModel extends RoutedModel {
  /** Every attempt, in order. */
  readonly requests: readonly ModelRequest[]
}

/** A reply, or one that calls tools. */
export interface ScriptedAnswerReply extends Reply {
  /** What the model asks for, beside its text. Ids are counted when absent. */
  readonly toolCalls?: readonly {
    readonly name: string
    /** An object, or the text a model might write in its place. */
    readonly arguments: JsonObject | string
    readonly id?: string
  }[]
}

/** A text, a whole reply, or what to answer to a request. */
export type ScriptedReply =
  | string
  | ScriptedAnswerReply
  | ((request: ModelRequest) => string | ScriptedAnswerReply)

export interface ScriptedModelOptions {
  readonly clock?: Clock
  /** Default: as in production, 100 ms and 300 ms. */
  readonly retry?: RetryPolicy
}

/**
 * A model for tests: replies in order, the last one repeats; no network. Failing replies (`fail`, `dropAfter`) are
 * retried as a real upstream's would be.
 */
export function createScriptedModel(
  replies: readonly ScriptedReply[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const { clock = systemClock, retry = DEFAULT_RETRY } = options
  const requests: ModelRequest[] = []
  const replyTo = (request: ModelRequest): Reply => {
    const script = replies[Math.min(requests.length, replies.length - 1)] ?? ''
    requests.push(request)
    const reply = typeof script === 'function' ? script(request) : script
    return typeof reply === 'string' ? { text: reply } : withToolCalls(reply, requests.length)
  }
  const model = new ResilientModel(createReplyUpstream('scripted', replyTo, clock), {
    retry,
    breaker: DEFAULT_BREAKER,
    admission: { maxConcurrent: 1_000, maxQueue: 0, queueTimeoutMs: 1 },
    clock,
  })
  const upstream = { name: 'scripted', model, responses: false }
  const router = createRouter({
    upstreams: [upstream],
    routes: [{ match: `${ECHO}*`, upstream: 'scripted' }],
    defaultModel: 'scripted',
    echo: model,
  })
  return { ...router, requests }
}

function withToolCalls({ toolCalls, ...reply }: ScriptedAnswerReply, answer: number): Reply {
  if (toolCalls === undefined) return reply
  const calls = toolCalls.map(({ id, name, arguments: args }, index) => ({
    id: id ?? `call_${answer}_${index + 1}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : stringifyJson(args) },
  }))
  const message = { role: 'assistant', content: reply.text ?? null, tool_calls: calls }
  return { finishReason: 'tool_calls', ...reply, message }
}
