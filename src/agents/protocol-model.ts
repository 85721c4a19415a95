import type { Message, WireToolCall } from '../conversation/message.js'
import { newCallId } from '../conversation/tool-calls.js'
import { AnsweredCompletion } from '../llm/answered-completion.js'
import { openChunkStream } from '../llm/chat/chunk-stream.js'
import { readCompletion } from '../llm/chat/read-completion.js'
import { readStream } from '../llm/chat/read-stream.js'
import { wantsUsage } from '../llm/chat/stream-usage.js'
import { toCompletion, toDeltaChunk, toUsageChunk } from '../llm/chat/write-completion.js'
import type { AnsweringModel, Completion, CompletionStream, ModelRequest } from '../llm/model.js'
import { requestMessages } from '../llm/request-messages.js'
import { NO_USAGE, toWireCounts } from '../llm/usage.js'
import type { Part, ToolProtocol } from '../protocols/protocol.js'
import { readAnswerText } from '../protocols/read-answer-text.js'
import { resolveTool } from '../protocols/resolve-tool.js'
import { safeJsonLoads } from '../protocols/safe-json-loads.js'
import { localTool } from '../tools/local-tool.js'
import type { Tool } from '../tools/toolbox.js'
import { answerId } from '../util/answer-id.js'
import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../util/json/json.js'
import { TextSlicer } from '../util/slices/text-slicer.js'
import { cutText } from '../util/text/cut-text.js'
import type { Clock } from '../util/time/clock.js'
import { toView } from './cycle/fit-history.js'
import { ProtocolWriter } from './cycle/protocol-writer.js'
import { ArgumentBounds } from './tools/argument-bounds.js'

/** Said in text by the protocol, or about what has no meaning there. */
const NOT_SENT: ReadonlySet<string> = new Set(['tools', 'tool_choice', 'parallel_tool_calls', 'n'])

/** How the model writes the calls of a request, and of what. */
interface ToolTextFormat {
  readonly protocol: ToolProtocol
  readonly tools: readonly Tool[]
}

/**
 * A model that speaks native tool calls, made of one that writes them as text: its clients send `tools` and get
 * `tool_calls`, whole or streamed. A text that looks like a call and cannot be read stays text.
 *
 * @throws ServiceError as the model
 */
export function createProtocolModel(
  model: AnsweringModel,
  protocol: ToolProtocol,
  clock: Clock,
): AnsweringModel {
  return {
    async complete(request, options) {
      const speech = { protocol, tools: toolsIn(request) }
      const completion = await model.complete(await toTextRequest(request, speech, clock), options)
      return speech.tools.length === 0 ? completion : await withNativeCalls(completion, speech)
    },
    async stream(request, options) {
      const speech = { protocol, tools: toolsIn(request) }
      const stream = await model.stream(await toTextRequest(request, speech, clock), options)
      if (speech.tools.length === 0) return stream
      const chunks = nativeChunks(stream, request, headOf(request, clock), speech)
      return openChunkStream(chunks, () => ({
        report: stream.report,
        usage: () => stream.usage(),
        cost: () => stream.cost?.(),
      }))
    },
  }
}

/** The functions a request offers; none where it says that none may be called, one where it names one. */
function toolsIn(request: ModelRequest): readonly Tool[] {
  const choice = own(request, 'tool_choice')
  const listed = own(request, 'tools')
  if (!Array.isArray(listed) || choice === 'none') return []
  const only = isJsonObject(choice) ? functionIn(choice)?.['name'] : undefined
  const tools = listed.flatMap((each: JsonValue) => toTool(isJsonObject(each) ? functionIn(each) : undefined))
  return only === undefined ? tools : tools.filter(({ name }) => name === only)
}

function functionIn(definition: JsonObject): JsonObject | undefined {
  const described = own(definition, 'function')
  return isJsonObject(described) ? described : undefined
}

/** A function as its client describes it: only the client can call it. */
function toTool(described: JsonObject | undefined): readonly Tool[] {
  const name = described && own(described, 'name')
  if (described === undefined || typeof name !== 'string') return []
  const description = own(described, 'description')
  const parameters = own(described, 'parameters')
  return [
    localTool({
      name,
      ...(typeof description === 'string' && { description }),
      ...(isJsonObject(parameters) && { parameters }),
      execute: () => null,
    }),
  ]
}

/** The request as the model understands it: tools explained in the system message, calls and results as text. */
async function toTextRequest(
  request: ModelRequest,
  { tools, protocol }: ToolTextFormat,
  clock: Clock,
): Promise<ModelRequest> {
  const entries = Object.entries(request).filter(([name]) => !NOT_SENT.has(name))
  const messages = requestMessages(request)
  const [first, ...rest] = messages
  const isSystem =
    (first?.role === 'system' || first?.role === 'developer') && typeof first.content === 'string'
  const instructions = tools.length === 0 ? '' : protocol.instructions(tools, new Date(clock.now()))
  const system = [isSystem ? first.content : '', instructions].filter((text) => text !== '').join('\n\n')
  const said = isSystem ? rest : messages
  const writer = new ProtocolWriter(protocol, () => undefined)
  await writer.read(said)
  const shown = toView(
    { messages: said.map((message) => ({ id: '', turn: 0, message })) },
    { system, keepToolResults: -1, writer },
  )
  return { ...Object.fromEntries(entries), model: request.model, messages: shown }
}

async function withNativeCalls(
  completion: Completion,
  { protocol, tools }: ToolTextFormat,
): Promise<Completion> {
  const { message, text, finishReason } = readCompletion(completion.body)
  if (message === undefined) return completion
  const parts = await readAnswerText(protocol.parser(tools), text)
  const calls = parts.flatMap((part) => toCall(part, tools))
  const reasoning = textsOf(parts, 'reasoning')
  const said = textsOf(parts, 'text')
  const native: Message = {
    ...message,
    content: calls.length > 0 && said.trim() === '' ? null : said,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const reason = calls.length > 0 ? 'tool_calls' : (finishReason ?? 'stop')
  const body = toCompletion(completion.body, { ...native }, reason, usageIn(completion))
  return new AnsweredCompletion(
    { bytes: Buffer.from(stringifyJson(body)), body, usage: completion.usage },
    completion.report,
    completion.usage,
    completion.cost,
  )
}

function usageIn({ body, usage }: Completion): JsonObject {
  const counts = own(body, 'usage')
  return isJsonObject(counts) ? counts : toWireCounts(usage ?? NO_USAGE)
}

async function* nativeChunks(
  stream: CompletionStream,
  request: ModelRequest,
  head: JsonObject,
  { protocol, tools }: ToolTextFormat,
): AsyncGenerator<JsonObject, void> {
  const parser = protocol.parser(tools)
  const writer = new NativeWriter(head, tools)
  const slicer = new TextSlicer()
  let reason = 'stop'
  for await (const event of readStream(stream.events)) {
    if (event.kind === 'error') throw event.error
    if (event.kind === 'reasoning') yield* writer.write([{ kind: 'reasoning', text: event.text }])
    if (event.kind === 'finish') reason = event.reason
    if (event.kind !== 'text') continue
    for (const piece of cutText(event.text)) {
      yield* writer.write(parser.push(piece))
      const turn = slicer.turn(piece.length)
      if (turn !== undefined) await turn
    }
  }
  yield* writer.write(parser.end())
  yield toDeltaChunk(head, {}, writer.hasCalls ? 'tool_calls' : reason)
  const usage = stream.usage()
  if (usage !== undefined && wantsUsage(request)) yield toUsageChunk(head, toWireCounts(usage))
}

/** Writes what a parser finds as chunks of a native answer. */
class NativeWriter {
  readonly #head: JsonObject
  readonly #tools: readonly Tool[]
  #role: JsonObject = { role: 'assistant' }
  #calls = 0

  constructor(head: JsonObject, tools: readonly Tool[]) {
    this.#head = head
    this.#tools = tools
  }

  get hasCalls(): boolean {
    return this.#calls > 0
  }

  *write(parts: readonly Part[]): Generator<JsonObject> {
    for (const part of parts) {
      if (part.kind === 'call') for (const call of toCall(part, this.#tools)) yield* this.#call(call)
      else if (part.kind === 'malformed') yield this.#chunk({ content: part.raw })
      else yield this.#chunk({ [part.kind === 'text' ? 'content' : 'reasoning_content']: part.text })
    }
  }

  /** As providers do: first who is called, then with what. */
  *#call({ id, type, function: { name, arguments: args } }: WireToolCall): Generator<JsonObject> {
    const index = this.#calls
    this.#calls += 1
    yield this.#chunk({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] })
    yield this.#chunk({ tool_calls: [{ index, function: { arguments: args } }] })
  }

  #chunk(delta: JsonObject): JsonObject {
    const role = this.#role
    this.#role = {}
    return toDeltaChunk(this.#head, { ...role, ...delta })
  }
}

function toCall(part: Part, tools: readonly Tool[]): readonly WireToolCall[] {
  if (part.kind !== 'call') return []
  const name = resolveTool(part, tools)?.name ?? part.name
  const args = tidied(part.arguments)
  return [{ id: newCallId(), type: 'function', function: { name, arguments: args } }]
}

/** Arguments as JSON where they are no more than is looked at, and as they were written elsewhere. */
function tidied(text: string): string {
  if (new ArgumentBounds().problemOf(text) !== undefined) return text
  const read = safeJsonLoads(text)
  return read.ok ? stringifyJson(read.value) : text
}

/** Texts of one kind; what looks like a call and cannot be read counts as text. */
function textsOf(parts: readonly Part[], kind: 'text' | 'reasoning'): string {
  return parts
    .map((part) => {
      if (part.kind === 'malformed') return kind === 'text' ? part.raw : ''
      return part.kind === kind ? part.text : ''
    })
    .join('')
}

function headOf({ model }: ModelRequest, clock: Clock): JsonObject {
  const created = Math.floor(clock.now() / 1000)
  return { id: `chatcmpl-${answerId()}`, object: 'chat.completion.chunk', created, model }
}
