import { firstJson, JsonScan } from '../util/json/first-json.js'
import { MAX_JSON_DEPTH } from '../util/limits.js'
import type { Tag, TagMatch, TagSet } from './tag-set.js'

/** Work that stops where it needs more text. */
export type ScanSteps<Result> = Generator<undefined, Result, undefined>

/** What was read of an object. */
export interface ReadObject {
  readonly text: string
  /** It has its closing brace; otherwise a tag or the end of the text came first. */
  readonly complete: boolean
  readonly tooDeep: boolean
}

/** Who looks at text that is searched for tags. */
export interface TagWatch {
  readonly onText: (text: string) => void
  /** Sees all text in front of tags, once. */
  readonly advance?: (text: string, from: number, to: number) => void
  /** Says whether a tag is plain text. */
  readonly refuses?: (tag: Tag) => boolean
}

/** This many objects with broken quotes are read again from their first tag; then tags in strings end them, too. */
const MAX_RECOVERIES = 8

const LINE_BREAK = 0x0a
const SPACE = 0x20
const DELETE = 0x7f

/** Text that comes in pieces, and how far it is read. What is kept of it is only what is not decided. */
export class Scanner {
  text = ''
  at = 0
  /** No more text comes. */
  ended = false
  /** Of the text that is kept, it is known up to here that no tag begins in it. */
  private searched = 0
  private recoveries = 0
  /** Where a tag was looked for last. */
  private looked = 0

  feed(piece: string): void {
    this.searched = Math.max(0, this.searched - this.at)
    this.text = this.at === this.text.length ? piece : this.text.slice(this.at) + piece
    this.at = 0
  }

  /** Puts back the text that was read last. */
  unread(text: string): void {
    this.searched = 0
    if (text.length <= this.at) {
      this.at -= text.length
      return
    }
    this.text = text + this.text.slice(this.at)
    this.at = 0
  }

  /** Reads up to an offset. */
  take(to: number): string {
    const taken = this.text.slice(this.at, to)
    this.at = to
    return taken
  }

  /** Reads up to the next tag and over it; undefined where more text is needed, or at the end of the text. */
  toTag(tags: TagSet, { onText, advance, refuses }: TagWatch): Tag | undefined {
    const { text } = this
    let from = Math.max(this.at, this.searched)
    for (let seen = from; ; ) {
      const at = tags.next(text, from)
      const stop = at === -1 ? text.length : at
      if (stop > seen) advance?.(text, seen, stop)
      const match = at === -1 ? undefined : tags.match(text, at, this.ended)
      const isTag = match !== undefined && match !== 'maybe'
      if (at === -1 || match === 'maybe' || (isTag && refuses?.(match) !== true)) {
        if (stop > this.at) onText(this.take(stop))
        this.searched = stop
        if (!isTag) return undefined
        this.at += match.raw.length
        return match
      }
      from = at + (isTag ? match.raw.length : 1)
      seen = at
    }
  }

  /** Reads the next tag, white space aside; undefined if something else follows, or nothing more. */
  *nextTag(tags: TagSet, between = BLANK): ScanSteps<Tag | undefined> {
    for (;;) {
      const tag = this.tagHere(tags, between)
      if (tag !== 'maybe') return tag
      yield
    }
  }

  /** The tag here, without waiting: `maybe` where more text is needed. For readers that are called for every few characters. */
  tagHere(tags: TagSet, between = BLANK): TagMatch {
    const match = this.lookHere(tags, between)
    if (match !== undefined && match !== 'maybe') this.at = this.looked + match.raw.length
    return match
  }

  /** Peeks at the next tag; `end` at the end of the text. */
  peekTag(tags: TagSet, between = BLANK): TagMatch | 'end' {
    const match = this.lookHere(tags, between)
    return match === undefined && this.ended && this.looked === this.text.length ? 'end' : match
  }

  /** What follows these characters; its position is then in `looked`. */
  private lookHere(tags: TagSet, between: RegExp): TagMatch {
    const { text } = this
    const at = tags.isLead(text, this.at) ? this.at : this.behind(between)
    this.looked = at
    const match = tags.match(text, at, this.ended)
    if (match !== undefined && match !== 'maybe') return match
    return (match === 'maybe' || at === text.length) && !this.ended ? 'maybe' : undefined
  }

  /** The character that comes next, some characters aside, and where it is; undefined at the end of the text. */
  *peek(between = BLANK): ScanSteps<{ readonly character: string; readonly at: number } | undefined> {
    for (;;) {
      const at = this.behind(between)
      const character = this.text[at]
      if (character !== undefined) return { character, at }
      if (this.ended) return undefined
      yield
    }
  }

  /** The position after these characters. The pattern is sticky, and may match the empty text. */
  private behind(between: RegExp): number {
    // Nearly always nothing, or one line break.
    if (between === BLANK) {
      const first = this.text.charCodeAt(this.at)
      if (first > SPACE && first < DELETE) return this.at
      const second = first === LINE_BREAK ? this.text.charCodeAt(this.at + 1) : SPACE
      if (second > SPACE && second < DELETE) return this.at + 1
    }
    between.lastIndex = this.at
    between.test(this.text)
    return between.lastIndex
  }

  /** Reads up to the first of these characters, and not over it; undefined if it does not come within a length. */
  *upTo(characters: RegExp, limit: number): ScanSteps<string | undefined> {
    for (;;) {
      const length = this.text.slice(this.at, this.at + limit).search(characters)
      if (length !== -1) return this.take(this.at + length)
      if (this.ended || this.text.length - this.at >= limit) return undefined
      yield
    }
  }

  /** Reads up to where the next tag may begin, and not over it; undefined if that is not within a length. */
  *upToLead(tags: TagSet, limit: number): ScanSteps<string | undefined> {
    for (;;) {
      const at = tags.next(this.text.slice(this.at, this.at + limit), 0)
      if (at !== -1) return this.take(this.at + at)
      if (this.ended || this.text.length - this.at >= limit) return undefined
      yield
    }
  }

  /** Reads text up to a tag, and over it; without a tag, up to the end of the text. */
  *untilTag(tags: TagSet): ScanSteps<{ readonly text: string; readonly tag: Tag | undefined }> {
    let text = ''
    const watch = {
      onText: (piece: string) => {
        text += piece
      },
    }
    for (;;) {
      const tag = this.toTag(tags, watch)
      if (tag !== undefined || this.ended) return { text, tag }
      yield
    }
  }

  /**
   * Reads the object that begins here. Tags in its strings are text. If its quotes are broken, so that its end never
   * comes, it ends before the first of these tags, wherever that is.
   */
  *object(tags: TagSet): ScanSteps<ReadObject> {
    if (this.recoveries === MAX_RECOVERIES) return yield* this.objectUpToTag(tags)
    const scan = new JsonScan()
    let text = ''
    for (;;) {
      const stop = scan.scan(this.text, this.at)
      text += this.take(stop)
      if (scan.done) return { text, complete: true, tooDeep: scan.deepest > MAX_JSON_DEPTH }
      const match = stop < this.text.length ? this.tagAt(tags, stop) : 'maybe'
      if (match === undefined) text += this.take(stop + 1)
      else if (match !== 'maybe' || this.ended) return this.recover(text, tags)
      else yield
    }
  }

  private tagAt(tags: TagSet, at: number): TagMatch {
    return tags.match(this.text, at, this.ended)
  }

  private recover(text: string, tags: TagSet): ReadObject {
    const at = tags.find(text)
    if (at === -1) return { text, complete: false, tooDeep: false }
    this.recoveries += 1
    this.unread(text.slice(at))
    return { text: text.slice(0, at), complete: false, tooDeep: false }
  }

  private *objectUpToTag(tags: TagSet): ScanSteps<ReadObject> {
    const { text, tag } = yield* this.untilTag(tags)
    const found = firstJson(text) ?? { text, complete: false, depth: 0 }
    this.unread(text.slice(found.text.length) + (tag?.raw ?? ''))
    return { text: found.text, complete: found.complete, tooDeep: found.depth > MAX_JSON_DEPTH }
  }
}

/** Maximum white space between tags. */
export const BLANK = /\s{0,256}/y
