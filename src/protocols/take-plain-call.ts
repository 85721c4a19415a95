import type { PlainTags } from './plain-tags.js'
import type { Reading } from './reading.js'
import type { Tag, TagSet } from './tag-set.js'

/** A value, the name of its argument, and what the tag says of it. */
export interface Pair {
  readonly key: string
  readonly text: string
  readonly said?: string | undefined
}

/** A call that is written plainly. */
export interface PlainCall {
  /** With its opening tag. */
  readonly raw: string
  readonly name: string
  readonly pairs: readonly Pair[]
}

const MAX_WORD = 128
const DOT = 0x2e
const DASH = 0x2d
const NEWLINE = 0x0a
/** More arguments are read one by one. */
const MAX_PAIRS = 32

/**
 * Reads a call of which nothing is unusual, at once: each tag as the family writes it, and none in a value. Undefined where
 * anything is not so, and where not all of it is there yet: nothing is read then, and it is read tag by tag. The rows of the
 * families with values in tags of `npm run bench:protocols` are what this is for.
 */
export function takePlainCall(
  { scanner, tags, forms, plainTags }: Reading,
  open: Tag,
): PlainCall | undefined {
  if (plainTags === undefined) return undefined
  const isNamed = open.form === forms.function
  if (isNamed !== (plainTags.nameOpen === undefined)) return undefined
  const from = scanner.at
  const reader = new PlainReader(scanner.text, from, plainTags)
  const call = reader.call(tags, isNamed ? (open.value?.trim() ?? '') : undefined)
  return call && { name: call.name, pairs: call.pairs, raw: open.raw + scanner.take(reader.at) }
}

class PlainReader {
  at: number
  private readonly text: string
  private readonly plain: PlainTags

  constructor(text: string, at: number, plain: PlainTags) {
    this.text = text
    this.at = at
    this.plain = plain
  }

  /** @param called the name, where the opening tag has it */
  call(tags: TagSet, called: string | undefined): Omit<PlainCall, 'raw'> | undefined {
    const { end, close } = this.plain
    const name = called ?? this.name()
    if (name === undefined || name === '') return undefined
    const pairs: Pair[] = []
    for (this.skipNewline(); !this.takes(end); this.skipNewline()) {
      const pair = this.pair(tags)
      if (pair === undefined || pairs.length === MAX_PAIRS) return undefined
      if (pairs.some(({ key }) => key === pair.key)) return undefined
      pairs.push(pair)
    }
    if (close !== '') this.skipNewline()
    return this.takes(close) ? { name, pairs } : undefined
  }

  private name(): string | undefined {
    const { nameOpen = '', nameEnd } = this.plain
    if (nameOpen !== '') this.skipNewline()
    const name = this.takes(nameOpen) ? this.word(true) : undefined
    return this.takes(nameEnd) ? name : undefined
  }

  private pair(tags: TagSet): Pair | undefined {
    const { keyOpen, keyEnd, said: saying, valueOpen, valueClose, token } = this.plain
    const key = this.takes(keyOpen) ? this.word() : undefined
    const said = saying !== undefined && this.takes(saying) ? this.word() : undefined
    if (key === undefined || (saying !== undefined && said === undefined) || !this.takes(keyEnd))
      return undefined
    if (valueOpen !== '') this.skipNewline()
    if (!this.takes(valueOpen)) return undefined
    const from = this.at
    this.at = token === undefined ? this.nextTag(tags) : this.next(token)
    const text = this.text.slice(from, this.at)
    if (!this.takes(valueClose)) return undefined
    if (token !== undefined && !(this.takes(key) && this.takes(keyEnd))) return undefined
    return { key, text, said }
  }

  /** Where the first tag of the form is. */
  private nextTag(tags: TagSet): number {
    const { text } = this
    const { valueClose } = this.plain
    let at = tags.next(text, this.at)
    while (at !== -1 && !text.startsWith(valueClose, at) && tags.match(text, at, false) === undefined)
      at = tags.next(text, at + 1)
    return at === -1 ? text.length : at
  }

  private next(token: string): number {
    const at = this.text.indexOf(token, this.at)
    return at === -1 ? this.text.length : at
  }

  private takes(written: string): boolean {
    if (!this.text.startsWith(written, this.at)) return false
    this.at += written.length
    return true
  }

  private skipNewline(): void {
    if (this.text.charCodeAt(this.at) === NEWLINE) this.at += 1
  }

  /** Letters, digits and `_`, in names of functions dots and dashes, too; short ones, for which a pattern would cost more. */
  private word(isName = false): string | undefined {
    const { text, at: from } = this
    let at = from
    for (const end = from + MAX_WORD; at < end; at += 1) {
      const code = text.charCodeAt(at)
      if (!isWordCharacter(code) && !(isName && (code === DOT || code === DASH))) break
    }
    this.at = at
    return at === from ? undefined : text.slice(from, at)
  }
}

function isWordCharacter(code: number): boolean {
  // `a` to `z`, `A` to `Z`, `0` to `9`, `_`.
  return (
    (code > 0x60 && code < 0x7b) ||
    (code > 0x40 && code < 0x5b) ||
    (code > 0x2f && code < 0x3a) ||
    code === 0x5f
  )
}
