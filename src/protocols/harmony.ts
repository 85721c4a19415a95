import { JsonScan } from '../util/json/first-json.js'
import { stringifyJson } from '../util/json/json.js'
import { MAX_JSON_DEPTH } from '../util/limits.js'
import type { EncodableCall } from './protocol.js'
import { QuotationTracker } from './quotation-tracker.js'
import type { Reading } from './reading.js'
import type { ScanSteps } from './scanner.js'
import type { Tag } from './tag-set.js'

const START = '<|start|>'
const CHANNEL = '<|channel|>'
const MESSAGE = '<|message|>'
const CONSTRAIN = '<|constrain|>'
const CALL = '<|call|>'
/** White space that may precede the recipient at the beginning of an answer. */
const MAX_BLANK = 64
/** Longer texts are not parsed as a header. */
const MAX_HEADER = 1_000
const RECIPIENT = /\bto=(?:functions\.)?([^\s<]+)/
/** Recipients other than tools. */
const PEOPLE: ReadonlySet<string> = new Set(['user', 'assistant', 'all'])

/** Calls as gpt-oss writes them behind `<|start|>assistant`, which the prompt ends with. */
export function encodeHarmony(calls: readonly EncodableCall[]): string {
  return calls
    .map(
      ({ name, arguments: args }) =>
        `${CHANNEL}commentary to=functions.${name} ${CONSTRAIN}json${MESSAGE}${stringifyJson(args)}${CALL}`,
    )
    .join(`${START}assistant`)
}

/** The header of a call as it is nearly always written, behind `<|start|>` or behind `<|channel|>`. */
const PLAIN_HEADERS: ReadonlyMap<string, RegExp> = new Map([
  [START, plainHeader(`assistant${CHANNEL}`)],
  [CHANNEL, plainHeader('')],
])

function plainHeader(start: string): RegExp {
  const token = (text: string) => text.replaceAll('|', '\\|')
  return new RegExp(
    `${token(start)}commentary to=functions\\.([\\w-]{1,128}) ${token(CONSTRAIN)}json${token(MESSAGE)}(?=\\{)`,
    'y',
  )
}

/** Where a message goes. */
interface Header {
  readonly raw: string
  readonly channel: string
  readonly recipient: string | undefined
}

/** Reads a whole answer: messages on channels, of which those to a function are calls. */
export function* readHarmony(reading: Reading): ScanSteps<void> {
  let header: Header | undefined
  if (yield* beginsWithRecipient(reading)) header = yield* readHeader(reading, '')
  for (;;) {
    const tag = yield* header === undefined ? readText(reading, 'text', true) : readBody(reading, header)
    header = undefined
    if (tag === undefined) return
    if (takePlainMessage(reading, tag)) continue
    if (tag.form === START || tag.form === CHANNEL) header = yield* readHeader(reading, tag.raw)
    else if (tag.form === MESSAGE) header = { raw: tag.raw, channel: 'final', recipient: undefined }
  }
}

/** Reads a call of which nothing is unusual, if all of it is there; false where nothing was read. */
function takePlainMessage({ scanner, emit, tries }: Reading, { form }: Tag): boolean {
  const header = PLAIN_HEADERS.get(form)
  const { text, at } = scanner
  const length = text.length - at
  if (header === undefined || !tries.mayTry(length)) return false
  header.lastIndex = at
  const name = header.exec(text)?.[1]
  const from = header.lastIndex
  if (name === undefined || PEOPLE.has(name)) return false
  const scan = new JsonScan()
  const end = scan.scan(text, from)
  if (!scan.done || scan.deepest > MAX_JSON_DEPTH || !text.startsWith(CALL, end)) {
    tries.failed(length)
    return false
  }
  scanner.at = end + CALL.length
  emit({ kind: 'call', name, arguments: text.slice(from, end) })
  return true
}

/** The prompt may end so that the answer begins with the recipient. */
function* beginsWithRecipient({ scanner }: Reading): ScanSteps<boolean> {
  for (;;) {
    const written = scanner.text.slice(scanner.at, scanner.at + MAX_BLANK)
    const start = written.trimStart()
    if (start.startsWith('to=')) return true
    if (scanner.ended || written.length === MAX_BLANK || !'to='.startsWith(start)) return false
    yield
  }
}

/** Reads up to the message; undefined where none follows. */
function* readHeader({ scanner, tags, emit }: Reading, opening: string): ScanSteps<Header | undefined> {
  let raw = opening
  let channel = ''
  let words = ''
  let last = opening
  for (;;) {
    const text = yield* scanner.upToLead(tags, MAX_HEADER)
    const tag = text === undefined ? undefined : yield* scanner.nextTag(tags, /(?:)/y)
    if (text === undefined || tag === undefined || raw.length > MAX_HEADER) {
      const rest = text ?? (scanner.ended ? scanner.take(scanner.text.length) : '')
      if (RECIPIENT.test(words + rest)) {
        emit({ kind: 'malformed', raw: raw + rest, reason: `${MESSAGE} with the arguments is missing` })
      }
      return undefined
    }
    raw += text + tag.raw
    words += ` ${text}`
    if (last === CHANNEL) channel = /^\s*(\w*)/.exec(text)?.[1] ?? ''
    last = tag.form
    if (tag.form === MESSAGE) return { raw, channel, recipient: recipientIn(words) }
    if (tag.form === START) [raw, words, channel] = [tag.raw, '', '']
    else if (tag.form !== CHANNEL && tag.form !== CONSTRAIN) return undefined
  }
}

function recipientIn(words: string): string | undefined {
  const recipient = RECIPIENT.exec(words)?.[1]
  return recipient === undefined || PEOPLE.has(recipient) ? undefined : recipient
}

/** Reads a message up to the tag behind it. */
function* readBody(reading: Reading, header: Header): ScanSteps<Tag | undefined> {
  const { recipient, channel } = header
  if (recipient === undefined) {
    return yield* readText(reading, channel === 'analysis' ? 'reasoning' : 'text', false)
  }
  const { scanner, tags, emit } = reading
  const next = yield* scanner.peek()
  if (next?.character !== '{') {
    const { text, tag } = yield* scanner.untilTag(tags)
    emitPlain(reading, header, recipient, text)
    return tag
  }
  scanner.take(next.at)
  const object = yield* scanner.object(tags)
  const { text, tag } = yield* scanner.untilTag(tags)
  const raw = header.raw + object.text + text
  const closed = tag?.form === reading.grammar.close
  if (object.tooDeep) emit({ kind: 'malformed', raw, reason: 'The arguments are nested too deep' })
  else if (object.complete || closed) emit({ kind: 'call', name: recipient, arguments: object.text })
  else emit({ kind: 'malformed', raw, reason: 'The JSON object was cut off' })
  return tag
}

/** Nothing at all is a call without arguments; code is for the tool that runs code. */
function emitPlain({ emit }: Reading, { raw }: Header, name: string, text: string): void {
  if (text.trim() === '') emit({ kind: 'call', name, arguments: '{}' })
  else if (name === 'python') emit({ kind: 'call', name, arguments: stringifyJson({ code: text }) })
  else emit({ kind: 'malformed', raw: raw + text, reason: 'The arguments are not a JSON object' })
}

/** @param isBetween Outside of messages, where white space says nothing. */
function* readText(
  reading: Reading,
  kind: 'text' | 'reasoning',
  isBetween: boolean,
): ScanSteps<Tag | undefined> {
  const { scanner, tags, say } = reading
  const quotation = new QuotationTracker()
  let isBlank = isBetween
  const watch = {
    onText: (text: string) => {
      const kept = isBlank ? text.trimStart() : text
      if (kept === '') return
      isBlank = false
      say(kind, kept)
    },
    advance: (text: string, from: number, to: number) => quotation.advance(text, from, to),
    refuses: () => reading.full() || quotation.quotes(),
  }
  for (;;) {
    const tag = scanner.toTag(tags, watch)
    if (tag !== undefined || scanner.ended) return tag
    yield
  }
}
