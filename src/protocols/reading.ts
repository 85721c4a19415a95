import type { Tool } from '../tools/toolbox.js'
import type { TagEscape } from './escape-tags.js'
import type { Grammar } from './grammar.js'
import type { Part } from './protocol.js'
import type { Scanner, Steps } from './scanner.js'
import type { Tag, TagSet } from './tag-set.js'

/** So much text behind an opening tag is looked at for its closing tag, when no call follows. */
const MAX_STRAY_TEXT = 500

/** What the readers of calls share. */
export interface Reading {
  readonly scanner: Scanner
  readonly grammar: Grammar
  readonly tags: TagSet
  readonly tagEscape: TagEscape
  /** Gives values their types, where the form has none. */
  readonly tools: readonly Tool[]
  emit(part: Part): void
  /** There are as many calls as are read of one answer. */
  full(): boolean
}

/** True for the tag that a grammar writes this way. */
export function isTag(tag: Tag | undefined, written: string): boolean {
  if (tag === undefined) return false
  const closing = written.startsWith('</')
  return (
    tag.closing === closing && tag.name === written.slice(closing ? 2 : 1, written.endsWith('=>') ? -2 : -1)
  )
}

/**
 * Ends what began as a call and is none. If its closing tag follows soon, everything up to it is malformed; otherwise
 * only what was read, and the rest is text.
 */
export function* giveUp({ scanner, grammar, tags, emit }: Reading, raw: string, reason: string): Steps<void> {
  const text = yield* scanner.upTo(/</, MAX_STRAY_TEXT)
  const tag = text === undefined ? undefined : yield* scanner.nextTag(tags)
  if (isTag(tag, grammar.close)) emit({ kind: 'malformed', raw: raw + text + (tag?.raw ?? ''), reason })
  else {
    scanner.unread((text ?? '') + (tag?.raw ?? ''))
    emit({ kind: 'malformed', raw, reason })
  }
}
