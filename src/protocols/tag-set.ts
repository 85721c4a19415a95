/** A tag found in text. */
export interface Tag {
  /** As the grammar writes it, without brackets and slash: `arguments`, `parameter`, `|tool_call_end|`. */
  readonly name: string
  readonly closing: boolean
  /** As a grammar writes it: `</arguments>`, `<parameter=>`, `<|tool_call_end|>`. */
  readonly form: string
  /** Behind the `=` of tags like `<function=read>`, or of the attribute a grammar names. */
  readonly value?: string
  /** The text of the attributes. */
  readonly attributes?: string
  readonly raw: string
}

/** What is at an offset: a tag, no tag, or the possible beginning of one. */
export type TagMatch = Tag | 'maybe' | undefined

/** What a family writes in place of `<`, `</` and `>`. */
export interface Brackets {
  readonly open: string
  readonly close: string
  readonly end: string
}

export const XML_BRACKETS: Brackets = { open: '<', close: '</', end: '>' }

const MAX_ATTRIBUTES = 256
const MAX_VALUE = 256
const LESS = 0x3c
const GREATER = 0x3e
const NEWLINE = 0x0a
const QUOTE = 0x22
/** `<x>`, `<x=>`, `<x name="">`. */
const XML = /^<(?<name>[\w:.-]+)(?:(?<valued>=)| (?<attribute>\w+)="")?>$/

/** One way in which a tag may begin, and how it is read from there. */
interface Stem {
  readonly text: string
  /** The tag without anything between its stem and its end, made once. */
  readonly plain: Tag
  /** Undefined: the stem is the whole tag. */
  readonly tail?: Tail
}

/** The text between the stem of a tag and its end. */
interface Tail {
  readonly end: string
  /** What the text between means: attributes that say nothing, a value, or attributes of which one is the value. */
  readonly kind: 'nothing' | 'value' | { readonly attribute: AttributePattern }
}

/**
 * The tags of a protocol as its grammar writes them: `<arguments>` means the opening tag, in any case and with
 * attributes, and for the closing one; `<function=>` has a value; `<invoke name="">` has it in an attribute; everything else,
 * like `<|tool_call_end|>`, is itself.
 */
export class TagSet {
  /** Behind each lead, the characters of its stems one by one. */
  private readonly roots = new Map<number, Node>()
  /** What every tag begins with, where they have it in common. */
  private readonly start: string
  private readonly lead: RegExp

  /**
   * @param brackets Alternatives of `<`, `</` and `>`.
   * @param others Tags that may have the usual brackets, too.
   */
  constructor(
    tags: readonly string[],
    brackets: readonly Brackets[] = [XML_BRACKETS],
    others: readonly string[] = [],
  ) {
    const stems = [
      ...brackets.flatMap((each) => tags.flatMap((tag) => toStems(tag, [each]))),
      ...others.flatMap((tag) => toStems(tag, [...brackets, XML_BRACKETS])),
    ]
    for (const stem of distinct(stems)) plant(this.roots, stem)
    for (const root of this.roots.values()) join(root)
    const texts = stems.map(({ text }) => text)
    const leads = [...new Set(texts.map((text) => text.charAt(0)))]
    this.start = commonStart(texts)
    this.lead = new RegExp(leads.map((lead) => leadPattern(lead, texts)).join('|'), 'g')
  }

  /** Where the next tag may begin; -1 where none can. */
  next(text: string, from: number): number {
    const { start } = this
    if (start !== '') {
      const at = text.indexOf(start, from)
      return at === -1 && start.length > 1 ? cutStart(text, from, start) : at
    }
    this.lead.lastIndex = from
    return this.lead.exec(text)?.index ?? -1
  }

  /** True if a tag may begin with the character at an offset. */
  isLead(text: string, at: number): boolean {
    return this.roots.has(text.charCodeAt(at))
  }

  /**
   * What is at an offset that has a lead.
   *
   * @param ended No more text comes, so that nothing is undecided.
   */
  match(text: string, at: number, ended: boolean): TagMatch {
    let node = this.roots.get(text.charCodeAt(at))
    let undecided = false
    for (let next = at + 1; node !== undefined; ) {
      for (const stem of node.stems) {
        const match = matchTail(stem, text, at)
        if (match === 'maybe') undecided = true
        else if (match !== undefined) return match
      }
      if (next === text.length) return ended || (node.next.size === 0 && !undecided) ? undefined : 'maybe'
      const { run } = node
      if (run !== undefined && text.startsWith(run.text, next)) {
        next += run.text.length
        node = run.to
      } else {
        node = node.next.get(text.charCodeAt(next))
        next += 1
      }
    }
    return undecided && !ended ? 'maybe' : undefined
  }

  /** The offset of the first tag of a text, whatever is around it; -1 without a tag. */
  find(text: string): number {
    let at = this.next(text, 0)
    while (at !== -1 && this.match(text, at, true) === undefined) at = this.next(text, at + 1)
    return at
  }
}

/** What tags have in common up to here: the stems that end here, and the next characters of the others. */
interface Node {
  readonly character: string
  readonly stems: Stem[]
  readonly next: Map<number, Node>
  /** The common beginning of all stems from here, in its usual spelling: compared at once. */
  run?: { readonly text: string; readonly to: Node }
}

/** Letters are found in any case. */
function plant(roots: Map<number, Node>, stem: Stem): void {
  const { text } = stem
  let level = roots
  let node: Node | undefined
  for (const character of text.split('')) {
    node = level.get(character.charCodeAt(0)) ?? { character, stems: [], next: new Map() }
    for (const each of [character, character.toLowerCase(), character.toUpperCase()])
      if (each.length === 1) level.set(each.charCodeAt(0), node)
    level = node.next
  }
  node?.stems.push(stem)
}

/** Finds the runs behind a node. */
function join(node: Node): void {
  let text = ''
  let to = node
  for (let only = onlyNext(to); only !== undefined; only = to.stems.length > 0 ? undefined : onlyNext(to)) {
    text += only.character
    to = only
  }
  if (text.length > 1) node.run = { text, to }
  for (const next of new Set(to === node ? node.next.values() : [to])) join(next)
}

function onlyNext({ next }: Node): Node | undefined {
  const [first, ...others] = new Set(next.values())
  return others.length === 0 ? first : undefined
}

function distinct(stems: readonly Stem[]): readonly Stem[] {
  return [...new Map(stems.map((stem) => [`${stem.text} ${stem.plain.form}`, stem])).values()]
}

/** A lead with as many of the characters behind it as all of its tags have, or with the end of the text. */
function leadPattern(lead: string, texts: readonly string[]): string {
  const start = commonStart(texts.filter((text) => text.startsWith(lead)))
  const behind = [...start.slice(1)].reverse()
  return escaped(lead) + behind.reduce((rest, character) => `(?:$|${escaped(character)}${rest})`, '')
}

/** What texts begin with: all of them, and in any case, so that it has no letters but in front. */
function commonStart(texts: readonly string[]): string {
  const [first = ''] = texts
  let length = 0
  while (isCommon(texts, first, length)) length += 1
  return first.slice(0, length)
}

function isCommon(texts: readonly string[], first: string, at: number): boolean {
  const character = first.charAt(at)
  return character !== '' && !/\p{L}/u.test(character) && texts.every((text) => text.charAt(at) === character)
}

/** Where a start begins that the end of the text cuts; -1 where it does not. */
function cutStart(text: string, from: number, start: string): number {
  for (let at = Math.max(from, text.length - start.length + 1); at < text.length; at += 1) {
    if (start.startsWith(text.slice(at))) return at
  }
  return -1
}

/** The tag whose stem is at an offset, in upper or lower case. */
function matchTail(stem: Stem, text: string, at: number): TagMatch {
  const { tail, plain } = stem
  const from = at + stem.text.length
  if (tail === undefined) return toPlain(stem, text, at, from)
  if (tail.kind !== 'value' && text.startsWith(tail.end, from)) {
    return toPlain(stem, text, at, from + tail.end.length)
  }
  const to = endOfTail(tail, text, from)
  if (to === -1) return undefined
  if (!text.startsWith(tail.end, to)) return tail.end.startsWith(text.slice(to)) ? 'maybe' : undefined
  const between = text.slice(from, to)
  const raw = text.slice(at, to + tail.end.length)
  const { name, closing, form } = plain
  if (tail.kind === 'nothing') return { name, closing, form, raw }
  if (tail.kind === 'value') return { name, closing, form, value: unquoted(between.trim()), raw }
  const value = attributeIn(between, tail.kind.attribute)
  return { name, closing, form, ...(value !== undefined && { value }), attributes: between, raw }
}

function toPlain({ plain }: Stem, text: string, at: number, to: number): Tag {
  return text.startsWith(plain.raw, at) ? plain : { ...plain, raw: text.slice(at, to) }
}

const COLON = 0x3a
const BLANK = /\s/

/** Where the text between a stem and the end of its tag ends; -1 if such text is not allowed there. */
function endOfTail({ kind }: Tail, text: string, from: number): number {
  const isValue = kind === 'value'
  const limit = from + (isValue ? MAX_VALUE : MAX_ATTRIBUTES + 1)
  for (let at = from; ; at += 1) {
    if (at === text.length) return at
    const code = text.charCodeAt(at)
    if (code === LESS || code === GREATER) return isValue && at === from ? -1 : at
    if (at === limit || (isValue && code === NEWLINE)) return -1
    // Attributes are apart from the name.
    if (!isValue && at === from && code !== COLON && !BLANK.test(text.charAt(at))) return -1
  }
}

/** Finds an attribute by its name, in the text of the attributes. */
export interface AttributePattern {
  /** As it is nearly always written. */
  readonly start: string
  readonly pattern: RegExp
}

/** What finds an attribute. */
export function attributePattern(name: string): AttributePattern {
  const pattern = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"']+))`)
  return { start: ` ${name}="`, pattern }
}

/** The value of the attribute that a pattern finds; undefined without it. */
export function attributeIn(attributes: string, { start, pattern }: AttributePattern): string | undefined {
  const value = plainAttribute(attributes, start) ?? foundAttribute(attributes, pattern)
  return value?.includes('&') === true ? value.replaceAll('&quot;', '"').replaceAll('&amp;', '&') : value
}

/** Of attributes that are all written plainly: the first of this name. */
function plainAttribute(attributes: string, start: string): string | undefined {
  const at = attributes.indexOf(start)
  // In front of it only what is certainly no text of another attribute.
  if (at === -1 || (at > 0 && attributes.charCodeAt(at - 1) !== QUOTE)) return undefined
  const from = at + start.length
  const to = attributes.indexOf('"', from)
  return to === -1 ? undefined : attributes.slice(from, to)
}

function foundAttribute(attributes: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(attributes)
  return found?.[1] ?? found?.[2] ?? found?.[3]
}

function unquoted(value: string): string {
  return /^(["']).+\1$/.test(value) ? value.slice(1, -1) : value
}

function toStems(tag: string, brackets: readonly Brackets[]): Stem[] {
  const found = XML.exec(tag)?.groups
  const name = found?.['name']
  if (name === undefined) {
    return [{ text: tag, plain: { name: tag.slice(1, -1), closing: false, form: tag, raw: tag } }]
  }
  const attribute = found?.['attribute']
  const kind =
    found?.['valued'] !== undefined
      ? 'value'
      : attribute === undefined
        ? 'nothing'
        : { attribute: attributePattern(attribute) }
  return brackets.flatMap((each) => [openingStem(name, kind, each), closingStem(name, each)])
}

function openingStem(name: string, kind: Tail['kind'], { open, end }: Brackets): Stem {
  const text = `${open}${name}${kind === 'value' ? '=' : ''}`
  const form = kind === 'value' ? `<${name}=>` : `<${name}>`
  return toStem(text, name, false, form, end, kind)
}

function closingStem(name: string, { close, end }: Brackets): Stem {
  return toStem(`${close}${name}`, name, true, `</${name}>`, end, 'nothing')
}

function toStem(
  text: string,
  name: string,
  closing: boolean,
  form: string,
  end: string,
  kind: Tail['kind'],
): Stem {
  return { text, plain: { name, closing, form, raw: `${text}${end}` }, tail: { end, kind } }
}

function escaped(text: string): string {
  return text.replace(/[|\\.*+?^$(){}[\]]/g, '\\$&')
}
