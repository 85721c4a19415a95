import type { Tool } from '../tools/toolbox.js'
import type { TagEscape } from './escape-tags.js'
import type { Grammar } from './grammar.js'
import type { Part } from './protocol.js'
import type { Scanner, Steps } from './scanner.js'
import type { TagSet } from './tag-set.js'

/** So much text behind an opening tag is looked at for its closing tag, when no call follows. */
const MAX_STRAY_TEXT = 1_000

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

/**
 * Ends what began as a call and is none. If its closing tag follows soon, everything up to it is malformed; otherwise
 * only what was read, and the rest is text.
 */
export function* giveUp(reading: Reading, raw: string, reason: string): Steps<void> {
  const { scanner, grammar, tags, emit } = reading
  let stray = ''
  while (stray.length < MAX_STRAY_TEXT) {
    const text = yield* scanner.upTo(/</, MAX_STRAY_TEXT)
    if (text === undefined) break
    stray += text
    const tag = yield* scanner.nextTag(tags)
    stray += tag?.raw ?? scanner.take(scanner.at + 1)
    if (tag?.form === grammar.close) return emit({ kind: 'malformed', raw: raw + stray, reason })
    if (tag?.form === grammar.open) break
  }
  scanner.unread(stray)
  emit({ kind: 'malformed', raw, reason })
}
