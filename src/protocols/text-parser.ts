import { TagEscape } from './escape-tags.js'
import { type Forms, formOf, formsOf, type Grammar, nameOf, type Section, tagsOf } from './grammar.js'
import { type PlainFields, type PlainTags, plainFieldsOf, plainTagsOf } from './plain-tags.js'
import type { Part, TextParser } from './protocol.js'
import { QuotationTracker } from './quotation-tracker.js'
import { readGemmaCall, takePlainGemma } from './read-gemma-call.js'
import { readJsonCall, takePlainJson } from './read-json-call.js'
import { readNestedCall, takePlainNested } from './read-nested-call.js'
import { readPairsCall, takePlainPairs } from './read-pairs-call.js'
import { readPythonBody } from './read-python-body.js'
import { readTagsCall, takePlainTags } from './read-tags-call.js'
import { PlainTries, type Reading, type Taken } from './reading.js'
import { Scanner, type ScanSteps, type TagWatch } from './scanner.js'
import { type Tag, TagSet } from './tag-set.js'
import { ToolSchemas } from './tool-schemas.js'
import type { ToolSignature } from './typed-tools.js'

/** Behind this many calls, whole and malformed, everything is text. */
const MAX_CALLS = 1_000
/** So much of a thought is held back behind what may be a call, until the thought ends or the answer does. */
const MAX_HELD = 65_536
/** So much text behind a call may show that the call was not whole. */
const MAX_BEHIND = 65_536
const THINK: Section = { open: '<think>', close: '</think>' }
const XML = /^<[\w:.-]+(?:=| \w+="")?>$/

/** A thought begins, with its tags; a section or a call does; a section ends; nothing. */
type Role = Section | 'section' | 'section-end' | 'call' | 'nothing'

/** What a grammar needs to read and write, prepared once. */
export interface PreparedGrammar {
  readonly grammar: Grammar
  readonly forms: Forms
  /** The tags of calls. */
  readonly tags: TagSet
  /** These, and the tags of thoughts. */
  readonly textTags: TagSet
  readonly thoughts: readonly Section[]
  /** The forms of tags that open a call or a section of calls. */
  readonly openings: ReadonlySet<string>
  /** What each form of a tag does outside of calls; every other is a stray one. */
  readonly roles: ReadonlyMap<string, Role>
  readonly tagEscape: TagEscape
  readonly plainTags: PlainTags | undefined
  readonly plainFields: PlainFields | undefined
}

/** Prepares a grammar. */
export function prepareGrammar(grammar: Grammar): PreparedGrammar {
  const { open, otherOpen = [], sections = [], body, brackets, silent = [] } = grammar
  const tags = tagsOf(grammar)
  const thoughts = grammar.thought === undefined ? [THINK] : [grammar.thought, THINK]
  const thoughtTags = thoughts.flatMap((thought) => [thought.open, thought.close])
  const others = thoughtTags.filter((tag) => !tag.startsWith('</'))
  const calls = [open, ...otherOpen, 'function' in body ? body.function : undefined]
  const openings = [...calls, ...sections.map((section) => section.open)].filter((tag) => tag !== undefined)
  return {
    grammar,
    forms: formsOf(grammar),
    tags: new TagSet(tags, brackets),
    textTags: new TagSet(tags, brackets, others),
    thoughts,
    openings: new Set(openings.map(formOf)),
    roles: new Map<string, Role>([
      ...openings.map((tag) => [formOf(tag), 'call'] as const),
      ...sections.flatMap(({ open, close }) => [[close, 'section-end'] as const, [open, 'section'] as const]),
      ...silent
        .flatMap((tag) => (XML.test(tag) ? [tag, `</${nameOf(tag)}>`] : [tag]))
        .map((tag) => [tag, 'nothing'] as const),
      ...thoughts.flatMap((thought) => [
        [thought.close, 'nothing'] as const,
        [thought.open, thought] as const,
      ]),
    ]),
    tagEscape: escapeOf(grammar, tags),
    plainTags: plainTagsOf(grammar),
    plainFields: plainFieldsOf(grammar),
  }
}

/** Tags in brackets of their own are escaped as they begin. */
function escapeOf({ brackets, body }: Grammar, tags: readonly string[]): TagEscape {
  const names = tags.filter((tag) => XML.test(tag)).map(nameOf)
  if (body.kind === 'nested') return new TagEscape([], [brackets?.[0]?.open.slice(0, -1) ?? '<'])
  if (brackets === undefined) return new TagEscape(names, body.kind === 'gemma' ? [body.quote] : [])
  return new TagEscape(
    [],
    brackets.flatMap(({ open, close }) => names.flatMap((name) => [`${open}${name}`, `${close}${name}`])),
  )
}

/** Reads a whole call; its opening tag is read. */
export type ReadCall = (reading: Reading, open: Tag) => ScanSteps<void>

/** Forms that also have calls without a tag: reads what an answer may begin with. */
export type ReadStart = (reading: Reading) => ScanSteps<void>

/** Readers of forms that have more than a body. */
export interface OwnReaders {
  readonly readCall?: ReadCall | undefined
  readonly readStart?: ReadStart | undefined
}

/** A parser for one answer. */
export function createTextParser(
  prepared: PreparedGrammar,
  tools: readonly ToolSignature[],
  readers: OwnReaders = {},
): TextParser {
  return new IncrementalParser(prepared, tools, readers)
}

/** How many calls a section had so far, and whether white space there is no text. */
interface OpenSection {
  calls: number
  blank: boolean
}

/** A part that still grows. */
type Growing = { kind: 'text' | 'reasoning'; text: string }

/** A call whose end is only sure when no closing tag follows it. */
interface Unsettled {
  readonly part: Part
  readonly raw: string
  readonly behind: string
}

class IncrementalParser implements TextParser {
  private readonly prepared: PreparedGrammar
  private readonly readers: OwnReaders
  private readonly scanner = new Scanner()
  private readonly quotation = new QuotationTracker()
  private readonly reading: Reading
  private readonly steps: ScanSteps<void>
  private parts: Part[] = []
  private growing: Growing | undefined
  /** Calls and malformed calls. */
  private found = 0
  /** Between the tags of a section; white space around calls does not count as text there. */
  private section: OpenSection | undefined
  private unsettled: Unsettled | undefined

  constructor(prepared: PreparedGrammar, tools: readonly ToolSignature[], readers: OwnReaders) {
    this.prepared = prepared
    this.readers = readers
    const { grammar, forms, tags, tagEscape, plainTags, plainFields } = prepared
    this.reading = {
      scanner: this.scanner,
      grammar,
      forms,
      tags,
      tagEscape,
      plainTags,
      plainFields,
      tries: new PlainTries(),
      schemas: new ToolSchemas(tools),
      emit: (part, raw) => this.emit(part, raw),
      say: (kind, text) => this.grow(kind, text),
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

  private *run(): ScanSteps<void> {
    if (this.readers.readStart !== undefined) yield* this.readers.readStart(this.reading)
    const { scanner } = this
    for (;;) {
      const tag = scanner.toTag(this.prepared.textTags, this.watch)
      if (tag !== undefined) {
        const role = this.prepared.roles.get(tag.form)
        if (role === 'call') {
          const taken = this.takePlain(tag)
          if (taken !== true) yield* taken === false ? this.readCall(tag) : taken
          this.countCall()
        } else if (typeof role === 'object') yield* this.readThought(role)
        else if (role !== 'nothing') this.readOther(tag, role)
      } else if (scanner.ended) break
      else yield
    }
    this.leaveSection('')
    this.settle()
  }

  private readOther({ raw }: Tag, role: 'section' | 'section-end' | undefined): void {
    if (role === undefined) this.stray(raw)
    else if (role === 'section-end') this.leaveSection(raw)
    else {
      this.settle()
      this.section = { calls: 0, blank: true }
    }
  }

  private *readCall(tag: Tag): ScanSteps<void> {
    yield* (this.readers.readCall ?? readByBody)(this.reading, tag)
  }

  /** A generator costs as much as reading a short call does. */
  private takePlain(tag: Tag): Taken {
    const { reading, scanner } = this
    this.settle()
    const length = scanner.text.length - scanner.at
    if (this.readers.readCall !== undefined || !reading.tries.mayTry(length)) return false
    const taken = takeByBody(reading, tag)
    if (taken === false) reading.tries.failed(length)
    return taken
  }

  private countCall(): void {
    const { section } = this
    if (section === undefined) return
    section.calls += 1
    section.blank = true
  }

  private leaveSection(raw: string): void {
    if (this.section?.calls === 0) {
      this.emit({ kind: 'malformed', raw, reason: 'The section of calls has no call' })
    }
    this.section = undefined
  }

  /** A tag outside of calls: behind a call it shows that the call had not ended. */
  private stray(tag: string): void {
    const { unsettled } = this
    if (unsettled === undefined) {
      this.emit({ kind: 'malformed', raw: tag, reason: `${tag} is outside of a call` })
      return
    }
    const raw = unsettled.raw + unsettled.behind + tag
    const reason = 'A value holds the tags of the form, so that its end is not sure'
    this.unsettled = { part: { kind: 'malformed', raw, reason }, raw, behind: '' }
  }

  /**
   * In a thought nothing counts but its end. What looks like a call there is held back: if the answer ends with it, inside of
   * the thought, it is one.
   */
  private *readThought({ close }: Section): ScanSteps<void> {
    const { scanner, prepared } = this
    const quotation = new QuotationTracker()
    let held: string | undefined
    let holds = true
    const say = (text: string) => {
      if (held === undefined) return this.grow('reasoning', text)
      held += text
      if (held.length <= MAX_HELD) return
      this.grow('reasoning', held)
      held = undefined
      holds = false
    }
    const watch: TagWatch = {
      onText: say,
      advance: (text, from, to) => holds && quotation.advance(text, from, to),
      refuses: (tag) => tag.form !== close && holds && quotation.quotes(),
    }
    for (;;) {
      const tag = scanner.toTag(prepared.textTags, watch)
      if (tag?.form === close || (tag === undefined && scanner.ended)) {
        const calls = tag === undefined && held !== undefined ? this.callsIn(held) : []
        if (calls.length === 0 && held !== undefined) this.grow('reasoning', held)
        for (const call of calls) this.emit(call)
        return
      }
      if (tag === undefined) yield
      else {
        if (holds && held === undefined && prepared.openings.has(tag.form)) held = ''
        say(tag.raw)
      }
    }
  }

  /** The calls that a text is; none if it is anything else, too. */
  private callsIn(text: string): readonly Part[] {
    const inner = new IncrementalParser(this.prepared, this.reading.schemas.tools, {
      readCall: this.readers.readCall,
    })
    const parts = [...inner.push(text), ...inner.end()]
    const isOnlyCalls = parts.every(
      (part) => part.kind === 'call' || (part.kind === 'text' && part.text.trim() === ''),
    )
    return isOnlyCalls ? parts.filter(({ kind }) => kind === 'call') : []
  }

  private readonly watch: TagWatch = {
    onText: (text) => this.onText(text),
    advance: (text, from, to) => {
      if (this.section === undefined) this.quotation.advance(text, from, to)
    },
    refuses: () => this.found >= MAX_CALLS || (this.section === undefined && this.quotation.quotes()),
  }

  private onText(text: string): void {
    const { section } = this
    const blank = section?.blank === true
    const kept = blank ? text.trimStart() : text
    if (kept === '') return
    if (blank) section.blank = false
    this.grow('text', kept)
  }

  private grow(kind: Growing['kind'], text: string): void {
    const { unsettled } = this
    if (unsettled !== undefined && kind === 'text' && unsettled.behind.length < MAX_BEHIND) {
      this.unsettled = { ...unsettled, behind: unsettled.behind + text }
      return
    }
    this.settle()
    if (this.growing?.kind === kind) this.growing.text += text
    else {
      this.growing = { kind, text }
      this.parts.push(this.growing)
    }
  }

  private emit(part: Part, raw?: string): void {
    this.settle()
    this.found += 1
    this.growing = undefined
    if (raw !== undefined && part.kind === 'call') this.unsettled = { part, raw, behind: '' }
    else this.parts.push(part)
  }

  /** Nothing that follows can change the last call any more. */
  private settle(): void {
    const { unsettled } = this
    if (unsettled === undefined) return
    this.unsettled = undefined
    this.growing = undefined
    this.parts.push(unsettled.part)
    if (unsettled.behind !== '') this.grow('text', unsettled.behind)
  }
}

/** Reads a call of which nothing is unusual, if all of it is there. */
function takeByBody(reading: Reading, open: Tag): Taken {
  const { body } = reading.grammar
  switch (body.kind) {
    case 'json':
      return takePlainJson(reading, body)
    case 'tags':
      return takePlainTags(reading)
    case 'pairs':
      return takePlainPairs(reading, open, body)
    case 'gemma':
      return takePlainGemma(reading, body)
    case 'nested':
      return takePlainNested(reading, open)
    case 'python':
      return false
  }
}

function readByBody(reading: Reading, open: Tag): ScanSteps<void> {
  const { body } = reading.grammar
  switch (body.kind) {
    case 'json':
      return readJsonCall(reading, open, body)
    case 'tags':
      return readTagsCall(reading, open, body)
    case 'pairs':
      return readPairsCall(reading, open, body)
    case 'gemma':
      return readGemmaCall(reading, open, body)
    case 'nested':
      return readNestedCall(reading, open)
    case 'python':
      return readPythonBody(reading, open, body)
  }
}
