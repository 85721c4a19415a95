import { firstJson, JsonScan, MAX_JSON_DEPTH } from '../util/first-json.js'
import type { Tag, TagMatch, TagSet } from './tag-set.js'

const LESS_THAN = 0x3c

/** Work that stops where it needs more text. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** What was read of an object. */
export interface ReadObject {
  readonly text: string
  /** It has its closing brace; otherwise a tag or the end of the text came first. */
  readonly complete: boolean
  readonly tooDeep: boolean
}

/** So many objects with broken quotes are read again from their first tag; then tags in strings end them, too. */
const MAX_RECOVERIES = 8

/** Text that comes in pieces, and how far it is read. What is kept of it is only what is not decided. */
export class Scanner {
  text = ''
  at = 0
  /** No more text comes. */
  ended = false
  /** Of the text that is kept, it is known up to here that no tag begins in it. */
  private searched = 0
  private recoveries = 0

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

  /**
   * Reads up to the next tag and over it; undefined where more text is needed, or at the end of the text.
   *
   * @param onText Takes the text in front of the tag.
   * @param isPlain Says whether a `<` is plain text, wherever it may lead.
   */
  toTag(tags: TagSet, onText: (text: string) => void, isPlain = never): Tag | undefined {
    const { text } = this
    let from = Math.max(this.at, this.searched)
    for (;;) {
      const at = text.indexOf('<', from)
      const stop = at === -1 ? text.length : at
      const plain = isPlain(text, from, stop)
      const match = at === -1 || plain ? undefined : tags.match(text, at, this.ended)
      if (at === -1 || match !== undefined) {
        if (stop > this.at) onText(this.take(stop))
        this.searched = stop
        if (match === undefined || match === 'maybe') return undefined
        this.at += match.raw.length
        return match
      }
      isPlain(text, at, at + 1)
      from = at + 1
    }
  }

  /** The tag that stands next, white space aside, is read; undefined if something else does, or nothing more. */
  *nextTag(tags: TagSet, between = BLANK): Steps<Tag | undefined> {
    for (;;) {
      const tag = this.tagHere(tags, between)
      if (tag !== 'maybe') return tag
      yield
    }
  }

  /** The same at once: `maybe` where more text is needed. For readers that are called for every few characters. */
  tagHere(tags: TagSet, between = BLANK): TagMatch {
    const at = this.text.charCodeAt(this.at) === LESS_THAN ? this.at : this.behind(between)
    const match = this.text.charCodeAt(at) === LESS_THAN ? tags.match(this.text, at, this.ended) : undefined
    if (match !== undefined && match !== 'maybe') {
      this.at = at + match.raw.length
      return match
    }
    const undecided = match === 'maybe' || at === this.text.length
    return undecided && !this.ended ? 'maybe' : undefined
  }

  /** The character that comes next, some characters aside, and where it is; undefined at the end of the text. */
  *peek(between = BLANK): Steps<{ readonly character: string; readonly at: number } | undefined> {
    for (;;) {
      const at = this.behind(between)
      const character = this.text[at]
      if (character !== undefined) return { character, at }
      if (this.ended) return undefined
      yield
    }
  }

  /** Where the text goes on behind these characters. The pattern is sticky, and matches nothing at all, too. */
  private behind(between: RegExp): number {
    between.lastIndex = this.at
    between.test(this.text)
    return between.lastIndex
  }

  /** Reads up to the first of these characters, and not over it; undefined if it does not come within a length. */
  *upTo(characters: RegExp, limit: number): Steps<string | undefined> {
    for (;;) {
      const length = this.text.slice(this.at, this.at + limit).search(characters)
      if (length !== -1) return this.take(this.at + length)
      if (this.ended || this.text.length - this.at >= limit) return undefined
      yield
    }
  }

  /** Reads text up to a tag, and over it; without a tag, up to the end of the text. */
  *untilTag(tags: TagSet): Steps<{ readonly text: string; readonly tag: Tag | undefined }> {
    let text = ''
    for (;;) {
      const tag = this.toTag(tags, (piece) => {
        text += piece
      })
      if (tag !== undefined || this.ended) return { text, tag }
      yield
    }
  }

  /**
   * Reads the object that begins here. Tags in its strings are text. If its quotes are broken, so that its end never
   * comes, it ends in front of the first of these tags, wherever that stands.
   */
  *object(tags: TagSet): Steps<ReadObject> {
    if (this.recoveries === MAX_RECOVERIES) return yield* this.objectUpToTag(tags)
    const scan = new JsonScan()
    let text = ''
    for (;;) {
      const stop = scan.scan(this.text, this.at)
      text += this.take(stop)
      if (scan.done) return { text, complete: true, tooDeep: scan.deepest > MAX_JSON_DEPTH }
      const match = stop < this.text.length ? tags.match(this.text, stop, this.ended) : 'maybe'
      if (match === undefined) text += this.take(stop + 1)
      else if (match !== 'maybe' || this.ended) return this.recover(text, tags)
      else yield
    }
  }

  private recover(text: string, tags: TagSet): ReadObject {
    const at = tags.find(text)
    if (at === -1) return { text, complete: false, tooDeep: false }
    this.recoveries += 1
    this.unread(text.slice(at))
    return { text: text.slice(0, at), complete: false, tooDeep: false }
  }

  private *objectUpToTag(tags: TagSet): Steps<ReadObject> {
    const { text, tag } = yield* this.untilTag(tags)
    const found = firstJson(text) ?? { text, complete: false, depth: 0 }
    this.unread(text.slice(found.text.length) + (tag?.raw ?? ''))
    return { text: found.text, complete: found.complete, tooDeep: found.depth > MAX_JSON_DEPTH }
  }
}

/** White space, as much of it as may stand between tags. */
export const BLANK = /\s{0,256}/y

function never(_text: string, _from: number, _to: number): boolean {
  return false
}
