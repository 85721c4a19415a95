import { type JsonObject, type JsonValue, own, stringifyJson } from '../util/json.js'
import { closeOf, type PairsBody } from './grammar.js'
import { readValue } from './read-value.js'
import { giveUp, isTag, type Reading } from './reading.js'
import { resolveTool } from './resolve-tool.js'
import type { Steps } from './scanner.js'
import type { Tag } from './tag-set.js'

const MAX_NAME = 300
/** A call with more arguments is none. */
const MAX_ARGUMENTS = 1_000
const NAME = /^[^\s<>{}]+$/

/** A call while it is read. */
interface Draft {
  raw: string
  name: string
  readonly values: [name: string, text: string][]
  /** The last value was cut. */
  cut: boolean
}

/** Reads a call that has every argument as a name and a text. */
export function* readPairsCall(reading: Reading, open: Tag, body: PairsBody): Steps<void> {
  const draft: Draft = { raw: open.raw, name: '', values: [], cut: false }
  const problem = yield* readName(reading, draft, open, body)
  if (problem !== undefined) return yield* giveUp(reading, draft.raw, problem)
  const { scanner, tags, grammar } = reading
  const functionClose = body.function === undefined ? undefined : closeOf(body.function)
  for (;;) {
    const tag = yield* scanner.nextTag(tags)
    if (isTag(tag, grammar.close)) return finish(reading, draft, tag as Tag)
    if (functionClose !== undefined && isTag(tag, functionClose)) {
      draft.raw += tag?.raw
      const close = yield* scanner.nextTag(tags)
      if (close !== undefined && !isTag(close, grammar.close)) scanner.unread(close.raw)
      return finish(reading, draft, isTag(close, grammar.close) ? close : undefined)
    }
    if (isTag(tag, body.key)) yield* readPair(reading, draft, tag as Tag, body)
    else {
      if (tag !== undefined) scanner.unread(tag.raw)
      if (body.function && draft.values.length > 0 && !draft.cut) return finish(reading, draft, undefined)
      return yield* giveUp(reading, draft.raw, `${grammar.close} is missing`)
    }
    if (draft.cut) return yield* giveUp(reading, draft.raw, 'A value was cut off')
    if (draft.values.length > MAX_ARGUMENTS)
      return yield* giveUp(reading, draft.raw, 'There are too many arguments')
  }
}

/** The name, from its tag or from the text behind the opening tag; else what is wrong. */
function* readName(
  { scanner, tags }: Reading,
  draft: Draft,
  open: Tag,
  body: PairsBody,
): Steps<string | undefined> {
  if (body.function !== undefined) {
    // The tag of the function may come without the one around it.
    const tag = isTag(open, body.function) ? open : yield* scanner.nextTag(tags)
    if (!isTag(tag, body.function)) {
      if (tag !== undefined) scanner.unread(tag.raw)
      return `${body.function.replace('=', '=name')} must follow the opening tag`
    }
    if (tag !== open) draft.raw += tag?.raw
    draft.name = tag?.value?.trim() ?? ''
    return undefined
  }
  const text = yield* scanner.upTo(/</, MAX_NAME)
  draft.name = text?.trim() ?? ''
  if (text !== undefined && NAME.test(draft.name)) {
    draft.raw += text
    return undefined
  }
  scanner.unread(text ?? '')
  return 'The name of a tool must follow the opening tag'
}

function* readPair(reading: Reading, draft: Draft, open: Tag, body: PairsBody): Steps<void> {
  draft.raw += open.raw
  const name = body.value === undefined ? open.value : yield* readText(reading, draft, body.key)
  if (name === undefined) return
  if (body.value !== undefined && !(yield* readOpening(reading, draft, body.value))) return
  const text = yield* readText(reading, draft, body.value ?? body.key)
  if (text === undefined) return
  const value = reading.tagEscape.unescape(text)
  // A tag that has the name itself stands on a line of its own, and the value on lines between.
  draft.values.push([name.trim(), body.value === undefined ? withoutOuterNewlines(value) : value])
}

function withoutOuterNewlines(text: string): string {
  const start = text.startsWith('\n') ? 1 : text.startsWith('\r\n') ? 2 : 0
  const end = text.length - (text.endsWith('\r\n') ? 2 : text.endsWith('\n') ? 1 : 0)
  return end > start ? text.slice(start, end) : ''
}

function* readOpening({ scanner, tags }: Reading, draft: Draft, written: string): Steps<boolean> {
  const tag = yield* scanner.nextTag(tags)
  if (isTag(tag, written)) draft.raw += tag?.raw
  else {
    if (tag !== undefined) scanner.unread(tag.raw)
    draft.cut = true
  }
  return !draft.cut
}

/** Reads up to the closing tag; where the form forgives its absence, up to the next tag. */
function* readText(
  { scanner, tags, grammar }: Reading,
  draft: Draft,
  written: string,
): Steps<string | undefined> {
  const { text, tag } = yield* scanner.untilTag(tags)
  draft.raw += text
  if (isTag(tag, closeOf(written))) draft.raw += tag?.raw
  else {
    if (tag !== undefined) scanner.unread(tag.raw)
    const forgiven = grammar.body.kind === 'pairs' && grammar.body.function !== undefined && tag !== undefined
    draft.cut = !forgiven
  }
  return draft.cut ? undefined : text
}

function finish({ emit, tools }: Reading, draft: Draft, close: Tag | undefined): void {
  if (draft.name === '') {
    emit({
      kind: 'malformed',
      raw: draft.raw + (close?.raw ?? ''),
      reason: 'The name of the tool is missing',
    })
    return
  }
  const schemas = schemasOf(resolveTool({ name: draft.name }, tools)?.parameters)
  const values = draft.values.map(([name, text]): [string, JsonValue] => [
    name,
    readValue(text, schemas && own(schemas, name)),
  ])
  emit({ kind: 'call', name: draft.name, arguments: stringifyJson(Object.fromEntries(values)) })
}

function schemasOf(parameters: JsonObject | undefined): JsonObject | undefined {
  const properties = parameters && own(parameters, 'properties')
  return typeof properties === 'object' && properties !== null && !Array.isArray(properties)
    ? (properties as JsonObject)
    : undefined
}
