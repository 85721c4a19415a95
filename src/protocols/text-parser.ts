import type { Tool } from '../tools/toolbox.js'
import { TagEscape } from './escape-tags.js'
import { FenceTracker } from './fence-tracker.js'
import { type Grammar, nameOf, tagsOf } from './grammar.js'
import type { Part, TextParser } from './protocol.js'
import { readJsonCall } from './read-json-call.js'
import { readPairsCall } from './read-pairs-call.js'
import { readTagsCall } from './read-tags-call.js'
import type { Reading } from './reading.js'
import { Scanner, type Steps } from './scanner.js'
import { type Tag, TagSet } from './tag-set.js'

/** Behind so many calls, whole and malformed, everything is text. */
const MAX_CALLS = 1_000
const THINK = '<think>'
const XML = /^<[\w=]+>$/

/** What a grammar needs to read and write, prepared once. */
export interface PreparedGrammar {
  readonly grammar: Grammar
  /** The tags of calls. */
  readonly tags: TagSet
  /** These, and the tags of thoughts. */
  readonly textTags: TagSet
  readonly thoughtTags: TagSet
  readonly tagEscape: TagEscape
}

/** Prepares a grammar. */
export function prepareGrammar(grammar: Grammar): PreparedGrammar {
  const tags = tagsOf(grammar)
  return {
    grammar,
    tags: new TagSet(tags),
    textTags: new TagSet([...tags, THINK]),
    thoughtTags: new TagSet([THINK]),
    tagEscape: new TagEscape(tags.filter((tag) => XML.test(tag)).map(nameOf)),
  }
}

/** Reads a whole call; its opening tag is read. */
export type ReadCall = (reading: Reading, open: Tag) => Steps<void>

/** Forms that also have calls without a tag: what an answer may begin with. True if it was a call. */
export type ReadStart = (reading: Reading) => Steps<void>

/** A parser for one answer. */
export function createTextParser(
  prepared: PreparedGrammar,
  tools: readonly Tool[],
  { readCall = readByBody, readStart }: { readCall?: ReadCall; readStart?: ReadStart } = {},
): TextParser {
  return new IncrementalParser(prepared, tools, readCall, readStart)
}

/** How many calls a section had so far, and whether white space there is no text. */
interface Section {
  readonly calls: number
  readonly blank: boolean
}

/** A part that still grows. */
type Growing = { kind: 'text' | 'reasoning'; text: string }

class IncrementalParser implements TextParser {
  private readonly prepared: PreparedGrammar
  private readonly readCall: ReadCall
  private readonly readStart: ReadStart | undefined
  private readonly scanner = new Scanner()
  private readonly fence = new FenceTracker()
  private readonly reading: Reading
  private readonly steps: Steps<void>
  private parts: Part[] = []
  private growing: Growing | undefined
  /** Calls and malformed calls. */
  private found = 0
  /** Between the tags of a section; white space around calls is no text there. */
  private section: Section | undefined

  constructor(
    prepared: PreparedGrammar,
    tools: readonly Tool[],
    readCall: ReadCall,
    readStart: ReadStart | undefined,
  ) {
    this.prepared = prepared
    this.readCall = readCall
    this.readStart = readStart
    const { grammar, tags, tagEscape } = prepared
    this.reading = {
      scanner: this.scanner,
      grammar,
      tags,
      tagEscape,
      tools,
      emit: (part) => this.emit(part),
      full: () => this.found >= MAX_CALLS,
    }
    this.steps = this.run()
  }

  push(text: string): readonly Part[] {
    if (text === '' || this.scanner.ended) return []
    this.scanner.feed(text)
    this.steps.next()
    return this.takeParts()
  }

  end(): readonly Part[] {
    this.scanner.ended = true
    this.steps.next()
    return this.takeParts()
  }

  private takeParts(): readonly Part[] {
    const { parts } = this
    this.parts = []
    this.growing = undefined
    return parts
  }

  private *run(): Steps<void> {
    if (this.readStart !== undefined) yield* this.readStart(this.reading)
    const { scanner } = this
    for (;;) {
      const tag = scanner.toTag(this.prepared.textTags, this.onText, this.isPlain)
      if (tag !== undefined) yield* this.readTag(tag)
      else if (scanner.ended) return this.leaveSection('')
      else yield
    }
  }

  private *readTag(tag: Tag): Steps<void> {
    const { grammar } = this.reading
    if (tag.name === 'think') yield* this.readThought(tag)
    else if (tag.form === grammar.section?.open) this.section = { calls: 0, blank: true }
    else if (tag.form === grammar.section?.close) this.leaveSection(tag.raw)
    else if (this.opensCall(tag)) {
      yield* this.readCall(this.reading, tag)
      if (this.section !== undefined) this.section = { calls: this.section.calls + 1, blank: true }
    } else this.emit({ kind: 'malformed', raw: tag.raw, reason: `${tag.raw} stands outside of a call` })
  }

  /** The tag with a function's name may stand alone. */
  private opensCall(tag: Tag): boolean {
    const { open, otherOpen = open, body } = this.reading.grammar
    if (tag.form === open || tag.form === otherOpen) return true
    return body.kind === 'pairs' && tag.form === body.function
  }

  private leaveSection(raw: string): void {
    if (this.section?.calls === 0) {
      this.emit({ kind: 'malformed', raw, reason: 'The section of calls has no call' })
    }
    this.section = undefined
  }

  /** In a thought nothing counts but its end. */
  private *readThought(open: Tag): Steps<void> {
    if (open.closing) return this.onText(open.raw)
    const { scanner } = this
    for (;;) {
      const tag = scanner.toTag(this.prepared.thoughtTags, this.onThought)
      if (tag?.closing === true) return
      if (tag !== undefined) this.onThought(tag.raw)
      else if (scanner.ended) return
      else yield
    }
  }

  private readonly isPlain = (text: string, from: number, to: number): boolean => {
    if (this.found >= MAX_CALLS) return true
    if (this.section !== undefined) return false
    this.fence.advance(text, from, to)
    return this.fence.inside
  }

  private readonly onText = (text: string): void => {
    const { section } = this
    const blank = section?.blank === true
    const kept = blank ? text.trimStart() : text
    if (kept === '') return
    if (blank) this.section = { ...section, blank: false }
    this.grow('text', kept)
  }

  private readonly onThought = (text: string): void => {
    this.grow('reasoning', text)
  }

  private grow(kind: Growing['kind'], text: string): void {
    if (this.growing?.kind === kind) this.growing.text += text
    else {
      this.growing = { kind, text }
      this.parts.push(this.growing)
    }
  }

  private emit(part: Part): void {
    this.found += 1
    this.growing = undefined
    this.parts.push(part)
  }
}

function readByBody(reading: Reading, open: Tag): Steps<void> {
  const { body } = reading.grammar
  if (body.kind === 'json') return readJsonCall(reading, open, body)
  if (body.kind === 'tags') return readTagsCall(reading, open, body)
  return readPairsCall(reading, open, body)
}
