import type { TagEscape } from './escape-tags.js'
import type { Forms, Grammar } from './grammar.js'
import type { PlainFields, PlainTags } from './plain-tags.js'
import type { Part } from './protocol.js'
import type { Scanner, ScanSteps } from './scanner.js'
import type { TagSet } from './tag-set.js'
import type { ToolSchemas } from './tool-schemas.js'

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
  /** Where it has fields between tags of their own. */
  readonly plainFields: PlainFields | undefined
  readonly tries: PlainTries
  /** Gives values their types, where the form has none. */
  readonly schemas: ToolSchemas
  /** @param raw What the model wrote, where closing tags behind it would show that it was not the whole call. */
  emit(part: Part, raw?: string): void
  /** Text that a reader finds between calls, and thoughts. */
  say(kind: 'text' | 'reasoning', text: string): void
  /** There are as many calls as are read of one answer. */
  full(): boolean
}

/**
 * Whether a call of which nothing is unusual was read, at once: where it was not, nothing was; and steps, where something may
 * follow that belongs to it.
 */
export type Taken = boolean | ScanSteps<void>

/** So much of an answer is looked at for calls that were none, or not yet whole. */
const MAX_LOOKED = 1 << 20

/** How often calls may still be looked for that are read at once: each try looks at text that is read again if it fails. */
export class PlainTries {
  private left = MAX_LOOKED

  /** @param length of the text that may be looked at */
  mayTry(length: number): boolean {
    return length <= this.left
  }

  failed(length: number): void {
    this.left -= length
  }
}

/**
 * Ends what started like a call but is not one. If its closing tag follows soon, everything up to it is malformed;
 * otherwise only what was read so far, and the rest is text.
 */
export function* giveUp(reading: Reading, raw: string, reason: string): ScanSteps<void> {
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
