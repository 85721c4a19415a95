import { stringifyJson } from '../util/json/json.js'
import { MAX_JSON_DEPTH } from '../util/limits.js'
import type { GemmaBody } from './grammar.js'
import type { Part } from './protocol.js'
import { closes, giveUp, type Reading, type Taken } from './reading.js'
import type { ScanSteps } from './scanner.js'
import type { Tag } from './tag-set.js'
import { keyJson, textJson } from './value-json.js'

const MAX_HEAD = 300
const HEAD = /^\s*:?call:\s*(?<name>[\w.-]+)\s*$/
const PLAIN_HEAD = /call:([\w.-]{1,256})(?=\{)/y
/** What models leave behind the object. */
const RUBBISH = /[\s}]{0,64}/y

/** Reads `call:name{…}`. */
export function* readGemmaCall(reading: Reading, open: Tag, { quote }: GemmaBody): ScanSteps<void> {
  const { scanner, tags, emit } = reading
  const head = (yield* scanner.upTo(/[{<]/, MAX_HEAD)) ?? ''
  const name = HEAD.exec(head)?.groups?.['name']
  if (name === undefined || scanner.text[scanner.at] !== '{') {
    scanner.unread(head)
    return yield* giveUp(reading, open.raw, '`call:name{…}` must follow the opening tag')
  }
  const { text, complete } = yield* readObject(reading, quote)
  const raw = open.raw + head + text
  // Some models write the end twice.
  let tag = yield* scanner.nextTag(tags, RUBBISH)
  while (tag !== undefined && closes(reading, tag.form)) tag = yield* scanner.nextTag(tags)
  if (tag !== undefined) scanner.unread(tag.raw)
  if (!complete) return emit({ kind: 'malformed', raw, reason: 'The arguments were cut off' })
  try {
    emit({ kind: 'call', name, arguments: new GemmaReader(text, quote, reading).object() })
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    emit({ kind: 'malformed', raw, reason: error.message })
  }
}

/** Reads a call of which nothing is unusual, if all of it is there. */
export function takePlainGemma(reading: Reading, { quote }: GemmaBody): Taken {
  const { scanner } = reading
  const { open = '', close = '' } = reading.grammar
  const { text } = scanner
  PLAIN_HEAD.lastIndex = scanner.at
  const name = PLAIN_HEAD.exec(text)?.[1]
  if (name === undefined) return false
  const reader = new GemmaReader(text, quote, reading, { from: PLAIN_HEAD.lastIndex, isPlain: true })
  const json = plainObject(reader)
  if (json === undefined || !text.startsWith(close, reader.at)) return false
  scanner.at = reader.at + close.length
  const call: Part = { kind: 'call', name, arguments: json }
  if (!text.startsWith(open, scanner.at)) return readEnds(reading, call)
  reading.emit(call)
  return true
}

/** Some models write the end twice. */
function* readEnds(reading: Reading, part: Part): ScanSteps<void> {
  const { scanner, tags, emit } = reading
  let tag = yield* scanner.nextTag(tags)
  while (tag !== undefined && closes(reading, tag.form)) tag = yield* scanner.nextTag(tags)
  if (tag !== undefined) scanner.unread(tag.raw)
  emit(part)
}

function plainObject(reader: GemmaReader): string | undefined {
  try {
    return reader.object()
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Reads the object that starts here, up to its closing brace. Braces in strings do not count. */
function* readObject({ scanner }: Reading, quote: string): ScanSteps<{ text: string; complete: boolean }> {
  let text = ''
  let depth = 0
  let string = false
  for (;;) {
    const at = nextOf(scanner.text, scanner.at, string, quote)
    if (at === -1 || isCut(scanner.text, at, quote, scanner.ended)) {
      // What may become a quote with more text stays.
      const kept = at === -1 ? Math.max(scanner.at, scanner.text.length - quote.length + 1) : at
      text += scanner.take(scanner.ended ? scanner.text.length : kept)
      if (scanner.ended) return { text, complete: false }
      yield
      continue
    }
    const isQuote = scanner.text.startsWith(quote, at)
    const character = scanner.text[at]
    text += scanner.take(at + (isQuote ? quote.length : 1))
    if (isQuote) string = !string
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth === 0) return { text, complete: true }
  }
}

/** Where the next bracket or quote is; in a string, the next quote. */
function nextOf(text: string, from: number, string: boolean, quote: string): number {
  if (string) return text.indexOf(quote, from)
  MARK.lastIndex = from
  return MARK.exec(text)?.index ?? -1
}

const MARK = /[{}[\]<]/g

/** A `<` at the end, of which it is not known yet whether it begins a quote. */
function isCut(text: string, at: number, quote: string, ended: boolean): boolean {
  return !ended && text.length - at < quote.length && quote.startsWith(text.slice(at))
}

const PLAIN_KEY = /[\w.$-]{1,128}(?=:)/y
const KEY = /\s*(?:(?<bare>[^\s:{}[\],<"']+)|(?<quote>["'])(?<quoted>[^"'\n]{0,256})\k<quote>)\s*:/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=\s*[,}\]])/y
const WORD = /\w{1,5}(?=[,}\]])/y
const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y
const BARE = /[^,{}[\]]*/y
const WORDS: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
])

const SPACE = 0x20
const DELETE = 0x7f

/** Where an object begins, and whether only what is written plainly is read. */
interface GemmaStart {
  readonly from: number
  readonly isPlain: boolean
}

/** Writes the JSON of an object whose strings have quotes of their own. */
class GemmaReader {
  at: number
  private readonly text: string
  private readonly quote: string
  private readonly reading: Reading
  private readonly isPlain: boolean

  constructor(
    text: string,
    quote: string,
    reading: Reading,
    { from, isPlain }: GemmaStart = { from: 0, isPlain: false },
  ) {
    this.text = text
    this.quote = quote
    this.reading = reading
    this.at = from
    this.isPlain = isPlain
  }

  object(depth = 1): string {
    if (depth > MAX_JSON_DEPTH) throw new SyntaxError('The arguments are nested too deep')
    this.at += 1
    let members = ''
    while (this.peek() !== '}') {
      const key = this.key()
      members += `${members === '' ? '' : ','}${keyJson(key)}:${this.value(depth + 1)}`
      if (this.peek() === ',') this.at += 1
      else if (this.peek() === '') throw new SyntaxError('"}" is missing')
    }
    this.at += 1
    return `{${members}}`
  }

  private list(depth: number): string {
    if (depth > MAX_JSON_DEPTH) throw new SyntaxError('The arguments are nested too deep')
    this.at += 1
    let elements = ''
    while (this.peek() !== ']') {
      elements += `${elements === '' ? '' : ','}${this.value(depth + 1)}`
      if (this.peek() === ',') this.at += 1
      else if (this.peek() !== ']') throw new SyntaxError('"]" is missing')
    }
    this.at += 1
    return `[${elements}]`
  }

  private key(): string {
    this.peek()
    if (this.text.startsWith(this.quote, this.at)) {
      const key = this.string()
      if (this.peek() !== ':') throw new SyntaxError('":" is missing')
      this.at += 1
      return key
    }
    const plain = this.take(PLAIN_KEY)
    if (plain !== undefined) {
      this.at += 1
      return plain
    }
    KEY.lastIndex = this.at
    const groups = this.isPlain ? undefined : KEY.exec(this.text)?.groups
    const key = groups?.['bare'] ?? groups?.['quoted']
    if (key === undefined) throw new SyntaxError('The name of an argument is missing')
    this.at = KEY.lastIndex
    return key
  }

  private value(depth: number): string {
    const next = this.peek()
    if (this.text.startsWith(this.quote, this.at)) return textJson(this.string())
    if (next === '{') return this.object(depth)
    if (next === '[') return this.list(depth)
    const number = this.take(NUMBER)
    if (number !== undefined) return number
    return this.isPlain ? this.word() : this.unquoted()
  }

  private word(): string {
    const word = WORDS.get(this.take(WORD) ?? '')
    if (word === undefined) throw new SyntaxError('A value is not written plainly')
    return word
  }

  private unquoted(): string {
    const quoted = this.take(QUOTED)
    if (quoted !== undefined) return stringifyJson(quoted.slice(1, -1))
    const bare = this.take(BARE)?.trim() ?? ''
    if (bare === '') throw new SyntaxError('A value is missing')
    return WORDS.get(bare) ?? stringifyJson(bare)
  }

  private string(): string {
    const from = this.at + this.quote.length
    const to = this.text.indexOf(this.quote, from)
    if (to === -1) throw new SyntaxError('The end of a string is missing')
    this.at = to + this.quote.length
    return this.reading.tagEscape.unescape(this.text.slice(from, to))
  }

  private peek(): string {
    const code = this.text.charCodeAt(this.at)
    if (code > SPACE && code < DELETE) return this.text.charAt(this.at)
    while (this.at < this.text.length && this.text.charAt(this.at).trim() === '') this.at += 1
    return this.text.charAt(this.at)
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    if (!pattern.test(this.text)) return undefined
    const taken = this.text.slice(this.at, pattern.lastIndex)
    this.at = pattern.lastIndex
    return taken
  }
}
