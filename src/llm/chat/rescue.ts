import type { WireToolCall } from '../../conversation/message.js'
import { payloadsOf } from '../../transport/sse-splitter.js'
import { toEvent } from '../../transport/sse-writer.js'
import { UpstreamError } from '../../transport/upstream-error.js'
import { answerId } from '../../util/answer-id.js'
import { isJsonObject, type JsonObject, own, stringifyJson } from '../../util/json/json.js'
import type { CallOptions, ModelRequest } from '../model.js'
import type { Answer, AnswerStream, Upstream } from '../upstream.js'
import { DeltaFrame, type SaidPiece } from './delta-frame.js'
import { choicesOf, readCompletion, reasoningIn, textIn } from './read-completion.js'
import { parsedObject } from './stream-watch.js'
import { toCompletion, toDeltaChunk } from './write-completion.js'

/** What a model said, and where: in its text, or in a thought. */
export interface SaidText {
  readonly text: string
  readonly reasoning: string
}

/** Calls that were found in an answer, and what stays of its text. */
export interface RescuedCalls extends SaidText {
  readonly calls: readonly WireToolCall[]
  readonly family: string
  /** Where they were. */
  readonly from: Exclude<RescueReason, 'failure'>
}

/** Finds calls in an answer that comes in pieces. */
export interface AnswerReader {
  /** True while what came so far may hold a call, so that nothing more goes to the client. */
  push(kind: keyof SaidText, text: string): boolean
  /** The calls of the whole answer; undefined where it is not one, or any doubt is left. */
  end(): RescuedCalls | undefined
}

/**
 * Reads the calls that a server left in its answers. Both are undefined for a request that allows no rescue.
 *
 * @param rescue the family that a route names, or `auto` for that of the model's name
 */
export interface Rescue {
  readAnswer(request: ModelRequest, rescue: string): AnswerReader | undefined
  readFailure(request: ModelRequest, rescue: string, message: string): RescuedCalls | undefined
}

/** An answer that had calls in it. Never any content. */
export interface RescuedAnswer {
  readonly upstream: string
  readonly requestId: string
  readonly family: string
  readonly reason: RescueReason
}

/** Where the calls were. */
export type RescueReason = 'content' | 'reasoning' | 'failure'

/** Reasons to finish that leave calls whole. */
const WHOLE: ReadonlySet<string> = new Set(['stop', 'tool_calls'])
/** Maximum number of characters of an answer that are held back; a longer one is passed on unchanged. */
const MAX_HELD = 262_144

/**
 * An upstream whose answers are read for calls that its server left in the text, where the route says so.
 *
 * @param byDefault the family that is read where the route names none; default: none
 */
export function createRescuingUpstream(
  upstream: Upstream,
  rescue: Rescue,
  onRescued: (answer: RescuedAnswer) => void,
  byDefault?: string,
): Upstream {
  const report = (reason: RescueReason, family: string, { requestId }: CallOptions) =>
    onRescued({ upstream: upstream.name, requestId, family, reason })

  function fromFailure(error: unknown, request: ModelRequest, options: CallOptions): ReadFailure | undefined {
    const message = error instanceof UpstreamError ? messageIn(error) : undefined
    const { rescue: family = byDefault } = options
    if (message === undefined || family === undefined) return undefined
    const rescued = rescue.readFailure(request, family, message)
    if (rescued === undefined) return undefined
    report('failure', rescued.family, options)
    const body = toCompletion(headOf(request), messageOf(rescued), 'tool_calls', {})
    return { body, family: rescued.family }
  }

  return {
    name: upstream.name,
    close: () => upstream.close(),
    async complete(request, options) {
      const { rescue: family = byDefault } = options
      if (family === undefined) return await upstream.complete(request, options)
      try {
        const answer = await upstream.complete(request, options)
        const reader = rescue.readAnswer(request, family)
        return (
          (reader && withCalls(answer, reader, (reason, found) => report(reason, found, options))) ?? answer
        )
      } catch (error) {
        const read = fromFailure(error, request, options)
        if (read === undefined) throw error
        const { body, family: rescued } = read
        return { bytes: Buffer.from(stringifyJson(body)), body, usage: undefined, rescued }
      }
    },
    async stream(request, options) {
      const { rescue: family = byDefault } = options
      const reader = family === undefined ? undefined : rescue.readAnswer(request, family)
      if (reader === undefined) return await upstream.stream(request, options)
      try {
        const stream = await upstream.stream(request, options)
        let rescued: string | undefined
        const found = (reason: RescueReason, name: string) => {
          rescued = name
          report(reason, name, options)
        }
        const failedLater = (error: unknown) => {
          const read = fromFailure(error, request, options)
          rescued = read?.family
          return read?.body
        }
        const events = rescuedEvents(stream, reader, { found, failed: failedLater })
        return { ...stream, events, rescued: () => rescued }
      } catch (error) {
        const read = fromFailure(error, request, options)
        if (read === undefined) throw error
        const { body, family: rescued } = read
        return { events: eventsOf(chunksOf(body)), usage: () => undefined, rescued: () => rescued }
      }
    },
  }
}

/** A failure that had calls in it, as an answer. */
interface ReadFailure {
  readonly body: JsonObject
  readonly family: string
}

type Found = (reason: RescueReason, family: string) => void

function withCalls(answer: Answer, reader: AnswerReader, found: Found): Answer | undefined {
  const { body } = answer
  const { message, text, reasoning, toolCalls, finishReason = 'stop' } = readCompletion(body)
  if (message === undefined || toolCalls.length > 0 || !WHOLE.has(finishReason)) return undefined
  reader.push('reasoning', reasoning)
  reader.push('text', text)
  const rescued = reader.end()
  if (rescued === undefined) return undefined
  found(rescued.from, rescued.family)
  const [choice = {}] = choicesOf(body)
  const { reasoning: _thought, reasoning_content: _content, ...said } = message
  const read = { ...choice, message: { ...said, ...messageOf(rescued) }, finish_reason: 'tool_calls' }
  const completed = { ...body, choices: [read] }
  return {
    bytes: Buffer.from(stringifyJson(completed)),
    body: completed,
    usage: answer.usage,
    rescued: rescued.family,
  }
}

function messageOf({ text, reasoning, calls }: RescuedCalls): JsonObject {
  return {
    role: 'assistant',
    content: text.trim() === '' ? null : text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    tool_calls: calls,
  }
}

/** The message of a failure, whole, in the shapes of Ollama and llama.cpp. */
function messageIn({ detail, status }: UpstreamError): string | undefined {
  if (status !== 500 && status !== 200) return undefined
  const said = isJsonObject(detail) ? (own(detail, 'detail') ?? detail) : detail
  if (typeof said === 'string') return said
  return isJsonObject(said) ? textIn(said, 'message') : undefined
}

function headOf({ model }: ModelRequest): JsonObject {
  return { id: `chatcmpl-${answerId()}`, object: 'chat.completion', created: 0, model }
}

interface StreamRescue {
  readonly found: Found
  readonly failed: (error: unknown) => JsonObject | undefined
}

/** Events as they came, up to the one with which a call may begin; the rest when the answer is over. */
async function* rescuedEvents(
  stream: AnswerStream,
  reader: AnswerReader,
  { found, failed }: StreamRescue,
): AsyncGenerator<Buffer> {
  const held = new HeldEvents(reader)
  try {
    for await (const events of stream.events) {
      const passed = held.take(events)
      if (passed.length > 0) yield passed
    }
  } catch (error) {
    const body = held.hasCalls ? undefined : failed(error)
    const rest = held.release()
    if (rest.length > 0) yield rest
    if (body === undefined) throw error
    yield* eventsOf(chunksOf(body))
    return
  }
  const rescued = held.end()
  if (rescued !== undefined) {
    found(rescued.from, rescued.calls.family)
    yield* eventsOf(rescued.chunks)
  }
  const rest = held.release()
  if (rest.length > 0) yield rest
}

/** How much of an answer's texts. */
interface Lengths {
  text: number
  reasoning: number
}

/** The events of one stream that are not passed on yet. */
class HeldEvents {
  /** The upstream gave calls itself. */
  hasCalls = false
  readonly #reader: AnswerReader
  readonly #frame = new DeltaFrame()
  #events: Buffer[] = []
  #length = 0
  #holds = false
  #isOver = false
  readonly #seen: Lengths = { text: 0, reasoning: 0 }
  /** What went to the client. */
  readonly #passed: Lengths = { text: 0, reasoning: 0 }
  #finishReason = 'stop'
  #head: JsonObject = {}

  constructor(reader: AnswerReader) {
    this.#reader = reader
  }

  /** Which of these events, and of those before them, may be passed on. */
  take(events: Buffer): Buffer {
    if (this.#isOver) return events
    const said = this.#frame.read(events)
    // Nearly always one event comes, with words only.
    if (said !== undefined) {
      this.#say(said)
      return this.#next(events)
    }
    let passed: Buffer | undefined
    for (let at = 0; at < events.length; ) {
      const end = events.indexOf(END_OF_EVENT, at)
      const next = end === -1 ? events.length : end + END_OF_EVENT.length
      const event = at === 0 && next === events.length ? events : events.subarray(at, next)
      this.#see(event)
      passed = joined(passed, this.#next(event))
      at = next
    }
    return passed ?? NOTHING
  }

  /** What may be passed on after an event: it is held, or follows what was held. */
  #next(event: Buffer): Buffer {
    if (this.#holds && !this.#isOver) {
      this.#hold(event)
      return NOTHING
    }
    return this.#events.length === 0 ? event : joined(this.release(), event)
  }

  /** Everything that was held. */
  release(): Buffer {
    const events = this.#events
    this.#events = []
    this.#length = 0
    this.#pass()
    return events.length === 0 ? NOTHING : Buffer.concat(events)
  }

  /** What is said in place of the held events, if they have calls. Those that say nothing of the answer stay. */
  end():
    | { readonly calls: RescuedCalls; readonly chunks: readonly JsonObject[]; readonly from: RescueReason }
    | undefined {
    if (this.hasCalls || this.#isOver || !WHOLE.has(this.#finishReason)) return undefined
    const calls = this.#reader.end()
    if (calls === undefined) return undefined
    const text = calls.text.slice(this.#passed.text)
    const reasoning = calls.reasoning.slice(this.#passed.reasoning)
    const { choices: _choices, usage: _usage, ...head } = this.#head
    const chunks = [
      ...(reasoning === '' ? [] : [toDeltaChunk(head, { reasoning_content: reasoning })]),
      ...(text === '' || calls.text.trim() === '' ? [] : [toDeltaChunk(head, { content: text })]),
      ...chunksOfCalls(head, calls.calls),
    ]
    this.#events = this.#events.filter((event) => choiceIn(event) === undefined)
    return { calls, chunks, from: calls.from }
  }

  #hold(event: Buffer): void {
    this.#events.push(event)
    this.#length += event.length
    if (this.#length > MAX_HELD) this.#isOver = true
  }

  #see(event: Buffer): void {
    const said = this.#frame.read(event)
    if (said === undefined) this.#parse(event)
    else this.#say(said)
  }

  #parse(event: Buffer): void {
    const choice = choiceIn(event)
    if (choice === undefined) return
    const { chunk, delta, finishReason } = choice
    if (finishReason !== undefined) this.#finishReason = finishReason
    if (own(delta, 'tool_calls') !== undefined && own(delta, 'tool_calls') !== null) {
      this.hasCalls = true
      this.#isOver = true
      return
    }
    this.#head = chunk
    if (finishReason === undefined) this.#frame.learn(event, delta)
    this.#say({ kind: 'reasoning', piece: reasoningIn(delta) ?? '' })
    this.#say({ kind: 'text', piece: textIn(delta, 'content') ?? '' })
  }

  #say({ kind, piece }: SaidPiece): void {
    if (piece !== '') this.#holds = this.#reader.push(kind, piece)
    this.#seen[kind] += piece.length
    if (!this.#holds) this.#pass()
  }

  #pass(): void {
    this.#passed.text = this.#seen.text
    this.#passed.reasoning = this.#seen.reasoning
  }
}

function joined(first: Buffer | undefined, second: Buffer): Buffer {
  if (first === undefined || first.length === 0) return second
  return second.length === 0 ? first : Buffer.concat([first, second])
}

const NOTHING = Buffer.alloc(0)
const END_OF_EVENT = Buffer.from('\n\n')

interface SeenChoice {
  /** Without what it says. */
  readonly chunk: JsonObject
  readonly delta: JsonObject
  readonly finishReason: string | undefined
}

/** The first choice of an event; undefined where it has none. */
function choiceIn(event: Buffer): SeenChoice | undefined {
  const [payload] = payloadsOf(event)
  const parsed = payload === undefined ? undefined : parsedObject(payload)
  const [choice] = parsed === undefined ? [] : choicesOf(parsed)
  if (parsed === undefined || choice === undefined) return undefined
  const delta = own(choice, 'delta')
  return {
    chunk: parsed,
    delta: isJsonObject(delta) ? delta : {},
    finishReason: textIn(choice, 'finish_reason'),
  }
}

/** A whole answer as chunks. */
function chunksOf(body: JsonObject): JsonObject[] {
  const { choices: _choices, usage: _usage, ...head } = body
  const { message, toolCalls } = readCompletion(body)
  const text = message === undefined ? undefined : textIn(message, 'content')
  return [
    toDeltaChunk(head, { role: 'assistant', ...(text !== undefined && { content: text }) }),
    ...chunksOfCalls(head, toolCalls),
  ].map((chunk) => ({ ...chunk, object: 'chat.completion.chunk' }))
}

/** As providers stream calls: first who is called, then with what, then the end. */
function chunksOfCalls(head: JsonObject, calls: readonly WireToolCall[]): JsonObject[] {
  return [
    ...calls.flatMap(({ id, type, function: { name, arguments: args } }, index) => [
      toDeltaChunk(head, { tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
      toDeltaChunk(head, { tool_calls: [{ index, function: { arguments: args } }] }),
    ]),
    toDeltaChunk(head, {}, 'tool_calls'),
  ]
}

async function* eventsOf(chunks: readonly JsonObject[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield toEvent(stringifyJson(chunk))
}
