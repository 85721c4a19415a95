import { isDeepStrictEqual } from 'node:util'
import { messageText, type WireToolCall } from '../conversation/message.js'
import { newCallId } from '../conversation/tool-calls.js'
import type { AnswerReader, Rescue, RescuedCalls } from '../llm/chat/rescue.js'
import type { ModelRequest } from '../llm/model.js'
import { requestMessages } from '../llm/request-messages.js'
import { compileSchema } from '../schema/json-schema.js'
import { firstJson } from '../util/json/first-json.js'
import { isJsonObject, type JsonObject, own, parseObject, stringifyJson } from '../util/json/json.js'
import { FAMILIES, type TextProtocolId } from './families/families.js'
import { type ParsedCalls, readParts } from './parse-calls.js'
import type { Part } from './protocol.js'
import { familyOfModel } from './protocol-of-model.js'
import { createTextParser, type PreparedGrammar, prepareGrammar } from './text-parser.js'
import type { ToolSignature } from './typed-tools.js'

/** Longer answers are not read. */
const MAX_READ = 1 << 20
/** Places of a message that are looked at for the calls of an answer. */
const MAX_PLACES = 100
const OLLAMA = /^error parsing tool call: raw='([\s\S]*)', err=/
const LLAMA_CPP = /^Failed to parse input at pos \d+: ([\s\S]*)$/
const MARKUP = /<(\/?)([A-Za-z][\w:-]{0,64})(?:\s[^<>]{0,256})?(\/?)>/g
/** Elements of HTML that are not closed. */
const VOID: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input', 'think'])

/** What may be rescued for one request, and how it is read. */
interface Gate {
  readonly family: TextProtocolId
  readonly prepared: PreparedGrammar
  readonly tools: readonly ToolSignature[]
  readonly maxCalls: number
  /** What was said to the model, which its answer may quote. */
  readonly sent: readonly string[]
}

/** The rescue of calls that servers leave in their answers: what counts is decided here, for chats and loops alike. */
export function createAnswerRescue(): Rescue {
  const prepared: Prepared = new Map()
  return {
    readAnswer(request, rescue) {
      const gate = gateOf(request, rescue, prepared)
      return gate && new LeakReader(gate)
    },
    readFailure(request, rescue, message) {
      const gate = gateOf(request, rescue, prepared)
      if (gate === undefined || message.length > MAX_READ) return undefined
      const raw = OLLAMA.exec(message)?.[1]
      if (raw !== undefined) return rescuedOf(namelessCall(raw, gate), '', '', gate, 'content')
      const rest = LLAMA_CPP.exec(message)?.[1]
      if (rest === undefined) return undefined
      const reader = new LeakReader(gate)
      reader.push('text', rest)
      return reader.end()
    },
  }
}

/** Grammars that were needed before. */
type Prepared = Map<TextProtocolId, PreparedGrammar>

/** Undefined for a request that allows no calls, or whose answer is more than one text. */
function gateOf(request: ModelRequest, rescue: string, prepared: Prepared): Gate | undefined {
  const family =
    rescue === 'auto'
      ? familyOfModel(request.model)
      : Object.keys(FAMILIES).find((id): id is TextProtocolId => id === rescue)
  const tools = toolsOf(request)
  if (family === undefined || tools.length === 0 || isShaped(request)) return undefined
  const grammar = prepared.get(family) ?? prepareGrammar(FAMILIES[family].grammar)
  prepared.set(family, grammar)
  const sent = requestMessages(request)
    .filter(({ role }) => role !== 'assistant')
    .map(messageText)
  const maxCalls = own(request, 'parallel_tool_calls') === false ? 1 : Number.POSITIVE_INFINITY
  return { family, prepared: grammar, tools, maxCalls, sent }
}

/** The answer must have a form of its own, or there are several. */
function isShaped(request: ModelRequest): boolean {
  const format = own(request, 'response_format')
  const hasFormat = isJsonObject(format) && own(format, 'type') !== 'text'
  const count = own(request, 'n')
  return hasFormat || own(request, 'logprobs') === true || (typeof count === 'number' && count > 1)
}

function toolsOf(request: ModelRequest): readonly ToolSignature[] {
  const choice = own(request, 'tool_choice')
  const listed = own(request, 'tools')
  if (choice === 'none' || !Array.isArray(listed)) return []
  const chosen = isJsonObject(choice) ? own(choice, 'function') : undefined
  const only = isJsonObject(chosen) ? own(chosen, 'name') : undefined
  return listed.flatMap((each) => {
    const described = isJsonObject(each) ? own(each, 'function') : undefined
    if (!isJsonObject(described)) return []
    const name = own(described, 'name')
    const parameters = own(described, 'parameters')
    if (typeof name !== 'string' || (only !== undefined && only !== name)) return []
    return [{ name, ...(isJsonObject(parameters) && { parameters }) }]
  })
}

/** Number of characters at the start of an answer that show whether it begins with a call without a tag. */
const MAX_START = 256

/** One text of an answer as it comes, and where in it a call may begin. It is joined once, at the end. */
class Said {
  readonly pieces: string[] = []
  length = 0
  start = ''
  /** What is not searched yet. */
  tail = ''
  /** -1 while no call begins. */
  opening = -1

  get text(): string {
    return this.pieces.join('')
  }

  add(piece: string): void {
    this.pieces.push(piece)
    this.length += piece.length
    if (this.start.length < MAX_START) this.start += piece
    if (this.opening === -1) this.tail += piece
  }
}

/** Watches an answer for the first tag of its family, and reads the whole of it when it is over. */
class LeakReader implements AnswerReader {
  readonly #gate: Gate
  readonly #said: Readonly<Record<'text' | 'reasoning', Said>> = {
    text: new Said(),
    reasoning: new Said(),
  }

  constructor(gate: Gate) {
    this.#gate = gate
  }

  push(kind: 'text' | 'reasoning', piece: string): boolean {
    const said = this.#said[kind]
    said.add(piece)
    return this.#mayOpen(said, kind) || this.#said.reasoning.opening !== -1 || this.#said.text.opening !== -1
  }

  end(): RescuedCalls | undefined {
    const { text, reasoning } = this.#said
    for (const said of [text, reasoning]) if (said.opening === -1) this.#find(said, true)
    if (text.length + reasoning.length > MAX_READ) return undefined
    if (text.opening !== -1) return this.#readText(text, reasoning.text)
    // A thought is open only if nothing was said behind it.
    if (reasoning.opening === -1 || text.text.trim() !== '') return undefined
    return this.#readThought(reasoning)
  }

  #readText({ text, opening }: Said, reasoning: string): RescuedCalls | undefined {
    const { gate, before, parts } = this.#parse('', text, opening)
    if (hasOpenMarkup(text.slice(0, opening)) || parts.some(({ kind }) => kind === 'reasoning'))
      return undefined
    const words = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('')
    if (!endsWithCalls(parts) || hasOpenMarkup(words)) return undefined
    return rescuedOf(readParts(parts), before + words, reasoning, gate, 'content')
  }

  #readThought({ text, opening }: Said): RescuedCalls | undefined {
    const [thought] = this.#gate.prepared.thoughts
    const { gate, before, parts } = this.#parse(thought?.open ?? '', text, opening)
    if (!parts.every(({ kind }) => kind === 'call')) return undefined
    return rescuedOf(readParts(parts), '', before, gate, 'reasoning')
  }

  /** The parts behind a place; what is in front of it only says whether they are quoted. */
  #parse(start: string, text: string, opening: number) {
    const gate = this.#gate
    const parser = createTextParser(gate.prepared, gate.tools, FAMILIES[gate.family])
    const before = text.slice(0, opening)
    parser.push(start + before)
    const parts = [...parser.push(text.slice(opening)), ...parser.end()]
    return { gate, before, parts: parts.filter((part) => !isBlank(part)) }
  }

  #mayOpen(said: Said, kind: 'text' | 'reasoning'): boolean {
    if (said.opening !== -1) return true
    if (kind === 'text' && mayBeginBare(this.#gate.family, said.start)) return true
    return this.#find(said, false)
  }

  /** True if a tag begins, or may begin, in what was said; from there on it is held back. */
  #find(said: Said, ended: boolean): boolean {
    const { tags, openings } = this.#gate.prepared
    if (ended && mayBeginBare(this.#gate.family, said.start)) said.opening = 0
    const { tail } = said
    for (let from = 0; ; ) {
      const at = tags.next(tail, from)
      if (at === -1) {
        said.tail = ''
        return false
      }
      const match = tags.match(tail, at, ended)
      const opens = match !== undefined && match !== 'maybe' && openings.has(match.form)
      if (match === 'maybe' || opens) {
        said.tail = tail.slice(at)
        if (opens && said.opening === -1) said.opening = said.length - said.tail.length
        return true
      }
      from = at + 1
    }
  }
}

/** Families whose calls need no tag where an answer begins with them. */
function mayBeginBare(family: TextProtocolId, text: string): boolean {
  if (FAMILIES[family].readStart === undefined) return false
  const start = text.trimStart().slice(0, 10)
  if (family === 'harmony') return start !== '' && ('to='.startsWith(start) || start.startsWith('to='))
  if (family === 'phi')
    return start !== '' && ('functools['.startsWith(start) || start.startsWith('functools['))
  return /^[[{]/.test(start)
}

function isBlank(part: Part): boolean {
  return part.kind === 'text' && part.text.trim() === ''
}

/** Calls, with words in front of them at most. */
function endsWithCalls(parts: readonly Part[]): boolean {
  const first = parts.findIndex(({ kind }) => kind === 'call')
  return first !== -1 && parts.every(({ kind }, index) => (index < first ? kind === 'text' : kind === 'call'))
}

/** A tag was opened and not closed: what follows may be a document. */
function hasOpenMarkup(text: string): boolean {
  const open: string[] = []
  for (const [, slash, name = '', empty] of text.matchAll(MARKUP)) {
    const tag = name.toLowerCase()
    if (VOID.has(tag) || empty === '/') continue
    if (slash !== '/') open.push(tag)
    else if (open.at(-1) === tag) open.pop()
  }
  return open.length > 0
}

/** Ollama's failure has the arguments only: they are a call if exactly one tool takes them. */
function namelessCall(raw: string, gate: Gate): ParsedCalls {
  const found = firstJson(raw)
  const value = found?.complete === true ? parseObject(found.text) : undefined
  const rest = found === undefined ? raw : raw.slice(raw.indexOf(found.text) + found.text.length)
  if (value === undefined || raw.trimStart()[0] !== '{' || !/^[\s\]}]{0,4}$/.test(rest)) return NO_CALLS
  const name = own(value, 'name')
  const inner = own(value, 'parameters') ?? own(value, 'arguments')
  if (typeof name === 'string' && isJsonObject(inner) && gate.tools.some((tool) => tool.name === name)) {
    return { calls: [{ id: newCallId(), name, arguments: inner }], malformed: [] }
  }
  const takers = gate.tools.filter((tool) => fits(tool, value))
  const [only] = takers
  if (only === undefined || takers.length > 1) return NO_CALLS
  return { calls: [{ id: newCallId(), name: only.name, arguments: value }], malformed: [] }
}

const NO_CALLS: ParsedCalls = { calls: [], malformed: [] }

function fits({ parameters }: ToolSignature, args: JsonObject): boolean {
  if (parameters === undefined) return true
  try {
    return compileSchema(parameters)(args).problems.length === 0
  } catch {
    return false
  }
}

/** The gate: all calls of an answer, or none. */
function rescuedOf(
  { calls, malformed }: ParsedCalls,
  text: string,
  reasoning: string,
  gate: Gate,
  from: RescuedCalls['from'],
): RescuedCalls | undefined {
  if (calls.length === 0 || malformed.length > 0 || calls.length > gate.maxCalls) return undefined
  const isAllowed = calls.every(({ name, arguments: args, repaired }) => {
    const tool = gate.tools.find((each) => each.name === name)
    return tool !== undefined && repaired !== true && fits(tool, args)
  })
  if (!isAllowed || calls.some((call) => isTold(call, gate))) return undefined
  const wire = calls.map(({ id, name, arguments: args }): WireToolCall => {
    const given = id.startsWith('call_') || id.length < 8 ? newCallId() : id
    return { id: given, type: 'function', function: { name, arguments: stringifyJson(args) } }
  })
  return { calls: wire, text, reasoning, family: gate.family, from }
}

/** True if a message to the model has this very call in it: the answer may only repeat it. */
function isTold(
  { name, arguments: args }: { readonly name: string; readonly arguments: JsonObject },
  gate: Gate,
): boolean {
  const compact = stringifyJson(args).replaceAll(/\s/g, '')
  return gate.sent.some((message) => {
    if (!message.includes(name)) return false
    if (compact.length > 2 && message.replaceAll(/\s/g, '').includes(compact)) return true
    return callsIn(message, gate).some(
      (call) => call.name === name && isDeepStrictEqual(call.arguments, args),
    )
  })
}

/** The calls anywhere in a message, quoted or not. */
function callsIn(message: string, { prepared: { tags, openings }, prepared: grammar, tools, family }: Gate) {
  const calls = readFrom(message)
  let places = 0
  for (let at = tags.next(message, 0); at !== -1 && places < MAX_PLACES; at = tags.next(message, at + 1)) {
    const match = tags.match(message, at, true)
    if (match === undefined || match === 'maybe' || !openings.has(match.form)) continue
    places += 1
    calls.push(...readFrom(message.slice(at)))
  }
  return calls

  function readFrom(text: string) {
    const parser = createTextParser(grammar, tools, FAMILIES[family])
    return readParts([...parser.push(text), ...parser.end()]).calls.slice()
  }
}
