import type { TagEscape } from './escape-tags.js'
import type { Forms, Grammar } from './grammar.js'
import type { PlainTags } from './plain-tags.js'
import type { Part } from './protocol.js'
import type { Scanner, Steps } from './scanner.js'
import type { TagSet } from './tag-set.js'
import type { TypedTool } from './typed-tools.js'

/** So much text behind an opening tag is looked at for its closing tag, when no call follows. */
const MAX_STRAY_TEXT = 1_000

/** What the readers of calls share. */
export interface Reading {
  readonly scanner: Scanner
  readonly grammar: Grammar
  readonly forms: Forms
  readonly tags: TagSet
  readonly tagEscape: TagEscape
  /** Where the grammar is one of names and values. */
  readonly plainTags: PlainTags | undefined
  /** Gives values their types, where the form has none. */
  readonly tools: readonly TypedTool[]
  /** @param raw What the model wrote, where closing tags behind it would show that it was not the whole call. */
  emit(part: Part, raw?: string): void
  /** Text that a reader finds between calls, and thoughts. */
  say(kind: 'text' | 'reasoning', text: string): void
  /** There are as many calls as are read of one answer. */
  full(): boolean
}

/**
 * Ends what began as a call and is none. If its closing tag follows soon, everything up to it is malformed; otherwise
 * only what was read, and the rest is text.
 */
export function* giveUp(reading: Reading, raw: string, reason: string): Steps<void> {
  const { scanner, tags, emit } = reading
  let stray = ''
  while (stray.length < MAX_STRAY_TEXT) {
    const text = yield* scanner.upToLead(tags, MAX_STRAY_TEXT)
    if (text === undefined) break
    stray += text
    const tag = yield* scanner.nextTag(tags)
    stray += tag?.raw ?? scanner.take(scanner.at + 1)
    if (tag !== undefined && closes(reading, tag.form)) {
      return emit({ kind: 'malformed', raw: raw + stray, reason })
    }
    if (tag !== undefined && opensCall(reading, tag.form)) break
  }
  scanner.unread(stray)
  emit({ kind: 'malformed', raw, reason })
}

/** True for the tag that another call begins with. */
function opensCall({ grammar: { open }, forms }: Reading, form: string): boolean {
  return form === (open ?? forms.function)
}

/** True for the tag that ends a call. */
export function closes({ grammar }: Pick<Reading, 'grammar'>, form: string | undefined): boolean {
  if (grammar.close !== undefined) return form === grammar.close
  return grammar.sections?.some(({ close }) => close === form) === true
}
