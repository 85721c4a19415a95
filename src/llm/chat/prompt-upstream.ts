import { payloadsOf } from '../../transport/sse-splitter.js'
import { toEvent } from '../../transport/sse-writer.js'
import { isJsonObject, type JsonObject, own, stringifyJson } from '../../util/json/json.js'
import { textField } from '../../util/json/json-fields.js'
import type { CallOptions, ModelRequest } from '../model.js'
import type { Answer, AnswerStream, Upstream } from '../upstream.js'
import { choicesOf } from './read-completion.js'
import { parsedObject } from './stream-watch.js'
import { toCompletion, toDeltaChunk } from './write-completion.js'

/** Makes one text of a chat request, for a model without a chat API. */
export interface PromptWriter {
  readonly write: (request: ModelRequest) => Promise<string>
  /** The family whose calls the answers have; undefined where the template does not say. */
  readonly family: string | undefined
}

/** What a prompt has no fields for: it says them itself. */
const SAID_IN_PROMPT: ReadonlySet<string> = new Set([
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'max_completion_tokens',
])

/**
 * An upstream that has `/completions` and no chat: a chat request becomes one prompt, and the text that comes back a chat
 * completion. Requests to other endpoints pass through.
 */
export function createPromptUpstream(upstream: Upstream, writePrompt: PromptWriter['write']): Upstream {
  return {
    name: upstream.name,
    close: () => upstream.close(),
    async complete(request, options) {
      if (!isChat(options)) return await upstream.complete(request, options)
      const prompt = await toPromptRequest(request, writePrompt)
      return toChatAnswer(await upstream.complete(prompt, { ...options, endpoint: 'completions' }))
    },
    async stream(request, options) {
      if (!isChat(options)) return await upstream.stream(request, options)
      const prompt = await toPromptRequest(request, writePrompt)
      const stream = await upstream.stream(prompt, { ...options, endpoint: 'completions' })
      return { events: toChatEvents(stream), usage: () => stream.usage() }
    },
  }
}

function isChat({ endpoint = 'chat/completions' }: CallOptions): boolean {
  return endpoint === 'chat/completions'
}

async function toPromptRequest(
  request: ModelRequest,
  writePrompt: PromptWriter['write'],
): Promise<ModelRequest> {
  const kept = Object.entries(request).filter(([name]) => !SAID_IN_PROMPT.has(name))
  const limit = own(request, 'max_completion_tokens')
  return {
    ...Object.fromEntries(kept),
    ...(limit !== undefined && { max_tokens: limit }),
    model: request.model,
    prompt: await writePrompt(request),
  }
}

function toChatAnswer({ body, usage }: Answer): Answer {
  const [choice = {}] = choicesOf(body)
  const { choices: _choices, ...head } = body
  const message = { role: 'assistant', content: textField(choice, 'text') ?? '' }
  const reason = textField(choice, 'finish_reason') ?? 'stop'
  const counts = own(body, 'usage')
  const completed = toCompletion(
    { ...head, object: 'chat.completion' },
    message,
    reason,
    isJsonObject(counts) ? counts : {},
  )
  return { bytes: Buffer.from(stringifyJson(completed)), body: completed, usage }
}

async function* toChatEvents({ events }: AnswerStream): AsyncGenerator<Buffer> {
  let role: JsonObject = { role: 'assistant' }
  for await (const several of events) {
    const chunks = payloadsOf(several).flatMap((payload) => toChatChunk(parsedObject(payload), role))
    role = {}
    if (chunks.length > 0) yield Buffer.concat(chunks.map((chunk) => toEvent(stringifyJson(chunk))))
  }
}

function toChatChunk(chunk: JsonObject | undefined, role: JsonObject): readonly JsonObject[] {
  if (chunk === undefined) return []
  const [choice] = choicesOf(chunk)
  const { choices: _choices, ...rest } = chunk
  const head = { ...rest, object: 'chat.completion.chunk' }
  if (choice === undefined) return [{ ...head, choices: [] }]
  const text = textField(choice, 'text') ?? ''
  const delta = { ...role, ...(text !== '' && { content: text }) }
  return [toDeltaChunk(head, delta, textField(choice, 'finish_reason') ?? null)]
}
