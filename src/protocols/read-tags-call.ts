import { closeOf, type TagsBody } from './grammar.js'
import { giveUp, type Reading } from './reading.js'
import type { Steps } from './scanner.js'
import type { Tag } from './tag-set.js'

const MAX_FIELD = 300
/** What models leave behind the arguments: a fence, a brace too many. */
const RUBBISH = /[\s`}\]]{0,64}/y
const FENCE = /^\s*(?:```\w*\s*)?$/

/** A call while it is read. */
interface Draft {
  raw: string
  server?: string
  name?: string
  arguments?: string
  /** The arguments are a whole object, so that closing tags may be missing. */
  complete: boolean
}

/** Reads a call whose parts stand between tags of their own, in any order. */
export function* readTagsCall(reading: Reading, open: Tag, body: TagsBody): Steps<void> {
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

function* readField({ scanner, tags }: Reading, draft: Draft, open: Tag): Steps<string> {
  draft.raw += open.raw
  const text = (yield* scanner.upToLead(tags, MAX_FIELD)) ?? ''
  draft.raw += text
  const tag = yield* scanner.nextTag(tags)
  if (tag?.closing === true && tag.name === open.name) draft.raw += tag.raw
  else if (tag !== undefined) scanner.unread(tag.raw)
  return text.trim()
}

function* readArguments(reading: Reading, draft: Draft, open: Tag, body: TagsBody): Steps<void> {
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

/** Arguments that are no object: nothing, a list, words. Whether they can be used is decided where they are read. */
function* readPlainArguments({ scanner, tags }: Reading, draft: Draft, open: Tag): Steps<void> {
  const { text, tag } = yield* scanner.untilTag(tags)
  draft.raw += text
  if (tag?.closing === true) draft.arguments = text.trim()
  if (tag?.closing === true && tag.name === open.name) draft.raw += tag.raw
  else if (tag !== undefined) scanner.unread(tag.raw)
}

function finish({ emit }: Reading, draft: Draft, close: string): void {
  const { name, server } = draft
  const raw = draft.raw + close
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
