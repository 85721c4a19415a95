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

/** What stands at an offset: a tag, no tag, or what may become one with more text. */
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
/** `<x>`, `<x=>`, `<x name="">`. */
const XML = /^<(?<name>[\w:.-]+)(?:(?<valued>=)| (?<attribute>\w+)="")?>$/

/** One way in which a tag may begin, and how it is read from there. */
interface Stem {
  readonly text: string
  /** In small letters, unless it is compared exactly. */
  readonly folded: string
  readonly name: string
  readonly closing: boolean
  readonly form: string
  /** The tag without anything between its stem and its end, made once. */
  readonly plain: Tag
  /** Undefined: the stem is the whole tag. */
  readonly tail?: Tail
}

/** What stands between the stem of a tag and its end. */
interface Tail {
  readonly end: string
  /** Groups: the text between. */
  readonly whole: RegExp
  readonly partial: RegExp
  /** What the text between means: attributes that say nothing, a value, or attributes of which one is the value. */
  readonly kind: 'nothing' | 'value' | { readonly attribute: RegExp }
}

/**
 * The tags of a protocol as its grammar writes them: `<arguments>` stands for the opening tag, in any case and with
 * attributes, and for the closing one; `<function=>` has a value; `<invoke name="">` has it in an attribute; everything else,
 * like `<|tool_call_end|>`, is itself.
 */
export class TagSet {
  /** Of the character behind the first one of a tag. */
  private readonly stems = new Map<number, Stem[]>()
  /** The characters that tags begin with. */
  private readonly leads: string
  private readonly lead: RegExp
  /** How many characters a stem has at most. */
  private readonly longest: number
  /** No stem has capital letters. */
  private readonly isLower: boolean

  /**
   * @param brackets What may stand in place of `<`, `</` and `>`.
   * @param others Tags that may stand in the usual brackets, too.
   */
  constructor(
    tags: readonly string[],
    brackets: readonly Brackets[] = [XML_BRACKETS],
    others: readonly string[] = [],
  ) {
    const stems = [
      // First as a family writes them first: what is found first is not compared with the others.
      ...brackets.flatMap((each) => tags.flatMap((tag) => toStems(tag, [each]))),
      ...others.flatMap((tag) => toStems(tag, [...brackets, XML_BRACKETS])),
    ]
    for (const stem of distinct(stems)) {
      for (const code of new Set([stem.text.charCodeAt(1), stem.text.toUpperCase().charCodeAt(1)])) {
        this.stems.set(code, [...(this.stems.get(code) ?? []), stem])
      }
    }
    this.longest = Math.max(...stems.map(({ text }) => text.length))
    this.isLower = stems.every(({ text, folded }) => text === folded)
    this.leads = [...new Set(stems.map(({ text }) => text.charAt(0)))].join('')
    this.lead = new RegExp([...this.leads].map((lead) => leadPattern(lead, stems)).join('|'), 'g')
  }

  /** Where the next tag may begin; -1 where none can. */
  next(text: string, from: number): number {
    if (this.leads.length === 1) return text.indexOf(this.leads, from)
    this.lead.lastIndex = from
    return this.lead.exec(text)?.index ?? -1
  }

  /** True if a tag may begin with this character. */
  isLead(character: string | undefined): boolean {
    return character !== undefined && character !== '' && this.leads.includes(character)
  }

  /**
   * What stands at a lead.
   *
   * @param ended No more text comes, so that nothing is undecided.
   */
  match(text: string, at: number, ended: boolean): TagMatch {
    if (at + 1 >= text.length) return ended ? undefined : 'maybe'
    const stems = this.stems.get(text.charCodeAt(at + 1))
    if (stems === undefined) return undefined
    let undecided = false
    // As it is nearly always written; comparing in small letters costs far more.
    for (const stem of stems) {
      const match = text.startsWith(stem.text, at) ? matchTail(stem, text, at) : undefined
      if (match === 'maybe') undecided = true
      else if (match !== undefined) return match
    }
    return this.matchFolded(stems, text, at, ended) ?? (undecided && !ended ? 'maybe' : undefined)
  }

  /** In any case; nothing where no more text would make it one. */
  private matchFolded(stems: readonly Stem[], text: string, at: number, ended: boolean): TagMatch {
    const written = text.slice(at, at + this.longest)
    const folded = written.toLowerCase()
    if (this.isLower && folded === written && written.length === this.longest) return undefined
    let undecided = false
    for (const stem of stems) {
      const match = folded.startsWith(stem.folded)
        ? matchTail(stem, text, at)
        : folded.length < stem.folded.length && stem.folded.startsWith(folded)
          ? 'maybe'
          : undefined
      if (match === 'maybe') undecided = true
      else if (match !== undefined) return match
    }
    return undecided && !ended ? 'maybe' : undefined
  }

  /** Where the first tag of a text is, whatever stands around it; -1 without. */
  find(text: string): number {
    let at = this.next(text, 0)
    while (at !== -1 && this.match(text, at, true) === undefined) at = this.next(text, at + 1)
    return at
  }
}

function distinct(stems: readonly Stem[]): readonly Stem[] {
  return [...new Map(stems.map((stem) => [`${stem.text} ${stem.form}`, stem])).values()]
}

/** A lead with as many of the characters behind it as all of its tags have, or with the end of the text. */
function leadPattern(lead: string, stems: readonly Stem[]): string {
  const texts = stems.map(({ text }) => text).filter((text) => text.startsWith(lead))
  const [first = lead] = texts
  let length = 1
  // Letters are found in any case.
  while (isCommon(texts, first, length)) length += 1
  const behind = [...first.slice(1, length)].reverse()
  return escaped(lead) + behind.reduce((rest, character) => `(?:$|${escaped(character)}${rest})`, '')
}

function isCommon(texts: readonly string[], first: string, at: number): boolean {
  const character = first.charAt(at)
  return character !== '' && !/\p{L}/u.test(character) && texts.every((text) => text.charAt(at) === character)
}

/** The tag whose stem stands at an offset, in any case. */
function matchTail(stem: Stem, text: string, at: number): TagMatch {
  const { tail, plain } = stem
  const from = at + stem.text.length
  const exact = text.startsWith(stem.text, at)
  if (tail === undefined) return exact ? plain : { ...plain, raw: text.slice(at, from) }
  if (tail.kind !== 'value' && exact && text.startsWith(tail.end, from)) return plain
  tail.whole.lastIndex = from
  const between = tail.whole.exec(text)?.[1]
  if (between === undefined) {
    tail.partial.lastIndex = from
    const partial = tail.partial.exec(text)
    return partial !== null && tail.partial.lastIndex === text.length ? 'maybe' : undefined
  }
  const raw = text.slice(at, tail.whole.lastIndex)
  const { name, closing, form } = stem
  if (tail.kind === 'nothing') return { name, closing, form, raw }
  if (tail.kind === 'value') return { name, closing, form, value: unquoted(between.trim()), raw }
  const value = attributeIn(between, tail.kind.attribute)
  return { name, closing, form, ...(value !== undefined && { value }), attributes: between, raw }
}

/** Finds an attribute by its name, in the text of the attributes. */
export function attributePattern(name: string): RegExp {
  return new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"']+))`)
}

/** The value of the attribute that a pattern finds; undefined without it. */
export function attributeIn(attributes: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(attributes)
  const value = found?.[1] ?? found?.[2] ?? found?.[3]
  return value?.includes('&') === true ? value.replaceAll('&quot;', '"').replaceAll('&amp;', '&') : value
}

function unquoted(value: string): string {
  return /^(["']).+\1$/.test(value) ? value.slice(1, -1) : value
}

function toStems(tag: string, brackets: readonly Brackets[]): Stem[] {
  const found = XML.exec(tag)?.groups
  const name = found?.['name']
  if (name === undefined) {
    const plain = { name: tag.slice(1, -1), closing: false, form: tag, raw: tag }
    return [{ text: tag, folded: tag.toLowerCase(), name: plain.name, closing: false, form: tag, plain }]
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
  const plain = { name, closing, form, raw: `${text}${end}` }
  const between = kind === 'value' ? `[^<>\\n]{1,${MAX_VALUE}}` : `(?:[\\s:][^<>]{0,${MAX_ATTRIBUTES}})?`
  const whole = new RegExp(`(${between})${escaped(end)}`, 'y')
  const prefixes = Array.from({ length: end.length }, (_, at) => escaped(end.slice(0, at))).reverse()
  const begun = kind === 'value' ? `[^<>\\n]{0,${MAX_VALUE}}` : between
  const partial = new RegExp(`${begun}(?:${prefixes.join('|')})`, 'y')
  return { text, folded: text.toLowerCase(), name, closing, form, plain, tail: { end, whole, partial, kind } }
}

function escaped(text: string): string {
  return text.replace(/[|\\.*+?^$(){}[\]]/g, '\\$&')
}
