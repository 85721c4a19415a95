import { JsonScan } from '../util/json/first-json.js'
import { closeOf, type Section, type TagsBody } from './grammar.js'
import { giveUp, type Reading } from './reading.js'
import type { ScanSteps } from './scanner.js'
import type { Tag } from './tag-set.js'

const MAX_FIELD = 300
/** What models leave behind the arguments: a fence, a brace too many. */
const RUBBISH = /[\s`}\]]{0,64}/y
const FENCE = /^\s*(?:```\w*\s*)?$/

const PLAIN_FIELD = /[^<]{0,256}/y
const NEWLINE = 0x0a
const BRACE = 0x7b

/** A call while it is read. */
interface Draft {
  raw: string
  server?: string
  name?: string
  arguments?: string
  /** The arguments are a whole object, so that closing tags may be missing. */
  complete: boolean
}

/** Reads a call whose parts have tags of their own, in any order. */
export function* readTagsCall(reading: Reading, open: Tag, body: TagsBody): ScanSteps<void> {
  const { scanner, tags, grammar } = reading
  const draft: Draft = { raw: open.raw, complete: false }
  for (;;) {
    const tag = yield* scanner.nextTag(tags)
    if (tag !== undefined && tag.form === grammar.close) return finish(reading, draft, tag.raw)
    if (tag?.form === body.arguments) yield* readArguments(reading, draft, tag, body)
    else if (tag?.form === body.server) draft.server = yield* readField(reading, draft, tag)
    else if (tag?.form === body.tool) draft.name = yield* readField(reading, draft, tag)
    else {
      if (tag !== undefined) scanner.unread(tag.raw)
      if (draft.complete) return finish(reading, draft, '')
      return yield* giveUp(reading, draft.raw, missing(draft, body, grammar.close ?? ''))
    }
  }
}

/** Reads a call of which nothing is unusual, if all of it is there; false where nothing was read. */
export function takePlainTags(reading: Reading): boolean {
  const { scanner, plainFields } = reading
  const { close = '' } = reading.grammar
  if (plainFields === undefined) return false
  const { text } = scanner
  const server = plainField(text, scanner.at, plainFields.server)
  const tool = server && plainField(text, server.end, plainFields.tool)
  if (server === undefined || tool === undefined || tool.text === '') return false
  const opening = behindNewline(text, tool.end)
  const from = behindNewline(text, opening + plainFields.arguments.open.length)
  if (!text.startsWith(plainFields.arguments.open, opening) || text.charCodeAt(from) !== BRACE) return false
  const scan = new JsonScan()
  const to = scan.scan(text, from)
  const closing = behindNewline(text, to)
  const end = behindNewline(text, closing + plainFields.arguments.close.length)
  if (!scan.done || !text.startsWith(plainFields.arguments.close, closing) || !text.startsWith(close, end)) {
    return false
  }
  scanner.at = end + close.length
  emitCall(reading, '', { name: tool.text, server: server.text, arguments: text.slice(from, to) })
  return true
}

function plainField(text: string, at: number, { open, close }: Section) {
  const opening = behindNewline(text, at)
  if (!text.startsWith(open, opening)) return undefined
  const from = opening + open.length
  PLAIN_FIELD.lastIndex = from
  PLAIN_FIELD.test(text)
  const to = PLAIN_FIELD.lastIndex
  return text.startsWith(close, to)
    ? { text: text.slice(from, to).trim(), end: to + close.length }
    : undefined
}

function behindNewline(text: string, at: number): number {
  return text.charCodeAt(at) === NEWLINE ? at + 1 : at
}

function* readField({ scanner, tags }: Reading, draft: Draft, open: Tag): ScanSteps<string> {
  draft.raw += open.raw
  const text = (yield* scanner.upToLead(tags, MAX_FIELD)) ?? ''
  draft.raw += text
  const tag = yield* scanner.nextTag(tags)
  if (tag?.closing === true && tag.name === open.name) draft.raw += tag.raw
  else if (tag !== undefined) scanner.unread(tag.raw)
  return text.trim()
}

function* readArguments(reading: Reading, draft: Draft, open: Tag, body: TagsBody): ScanSteps<void> {
  const { scanner, tags } = reading
  draft.raw += open.raw
  const preamble = yield* scanner.upTo(/[{<]/, MAX_FIELD)
  if (preamble === undefined || scanner.text[scanner.at] !== '{' || !FENCE.test(preamble)) {
    scanner.unread(preamble ?? '')
    return yield* readPlainArguments(reading, draft, open)
  }
  const object = yield* scanner.object(tags)
  draft.raw += preamble + object.text
  draft.arguments = object.text
  draft.complete = object.complete
  const tag = yield* scanner.nextTag(tags, RUBBISH)
  if (tag?.form === closeOf(body.arguments)) draft.raw += tag.raw
  else if (tag !== undefined) scanner.unread(tag.raw)
}

/** Arguments other than an object: nothing, a list, words. The reader decides whether they can be used. */
function* readPlainArguments({ scanner, tags }: Reading, draft: Draft, open: Tag): ScanSteps<void> {
  const { text, tag } = yield* scanner.untilTag(tags)
  draft.raw += text
  if (tag?.closing === true) draft.arguments = text.trim()
  if (tag?.closing === true && tag.name === open.name) draft.raw += tag.raw
  else if (tag !== undefined) scanner.unread(tag.raw)
}

function finish(reading: Reading, draft: Draft, close: string): void {
  emitCall(reading, draft.raw + close, draft)
}

function emitCall({ emit }: Reading, raw: string, draft: Omit<Draft, 'raw' | 'complete'>): void {
  const { name, server } = draft
  if (name === undefined || name === '') {
    emit({ kind: 'malformed', raw, reason: 'The name of the tool is missing' })
    return
  }
  const call = { kind: 'call', name, arguments: draft.arguments ?? '' } as const
  emit(server === undefined || server === '' || server === DEFAULT_SERVER ? call : { ...call, server })
}

/** What is written where a tool belongs to no server. */
export const DEFAULT_SERVER = 'default'

function missing(draft: Draft, body: TagsBody, close: string): string {
  if (draft.arguments !== undefined) return `The arguments were cut off, and ${close} is missing`
  if (draft.name !== undefined) return `${body.arguments} is missing`
  return `${body.server}, ${body.tool} and ${body.arguments} must follow the opening tag`
}
