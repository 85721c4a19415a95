import { keyed } from '../util/keyed.js'

/** A tag found in text. */
export interface Tag {
  /** As the grammar writes it, without brackets and slash: `arguments`, `parameter`, `|tool_call_end|`. */
  readonly name: string
  readonly closing: boolean
  /** As a grammar writes it: `</arguments>`, `<parameter=>`, `<|tool_call_end|>`. */
  readonly form: string
  /** Behind the `=` of tags like `<function=read>`. */
  readonly value?: string
  readonly raw: string
}

/** What stands at an offset: a tag, no tag, or what may become one with more text. */
export type TagMatch = Tag | 'maybe' | undefined

const MAX_ATTRIBUTES = 128
const MAX_VALUE = 256
const XML = /^<\w+>$/
const VALUED = /^<(\w+)=>$/
const SIMPLE_VALUE = /([\w.-]{1,64})>/y

/**
 * The tags of a protocol. They are written as in its form: `<arguments>` stands for the opening tag, in any case and with
 * attributes, and for the closing one; `<function=>` has a value; everything else, like `<|tool_call_end|>`, is itself.
 */
export class TagSet {
  private readonly pattern: RegExp
  /**
   * The tags as they are nearly always written, by what a tag may have behind its `<`: found far faster than by the pattern
   * (calls of `npm run bench:protocols`). Where a tag has a value, how it begins.
   */
  private readonly plain = new Map<number, PlainTag[]>()
  private readonly names = new Map<string, string>()
  private readonly stems: readonly Stem[]
  private readonly longestStem: number

  constructor(tags: readonly string[]) {
    this.pattern = toPattern(tags)
    this.stems = tags.flatMap(toStems)
    this.longestStem = Math.max(...this.stems.map(({ text }) => text.length))
    for (const tag of tags) this.names.set(toName(tag).toLowerCase(), toName(tag))
    for (const { text } of this.stems) this.addPlain(text)
  }

  private addPlain(stem: string): void {
    const valued = stem.endsWith('=')
    const start = valued || stem.endsWith('>') ? stem : `${stem}>`
    const tag = this.search(valued ? `${start}->` : start, 0)
    for (const code of [stem.charCodeAt(1), stem.toUpperCase().charCodeAt(1)]) {
      const those = this.plain.get(code) ?? []
      if (tag !== undefined) those.push({ start, valued, tag })
      this.plain.set(code, those)
    }
  }

  /**
   * What stands at a `<`.
   *
   * @param ended No more text comes, so that nothing is undecided.
   */
  match(text: string, at: number, ended: boolean): TagMatch {
    const those = this.plain.get(text.charCodeAt(at + 1))
    if (those === undefined && at + 1 < text.length) return undefined
    const plain = those?.find(({ start }) => text.startsWith(start, at))
    if (plain !== undefined && !plain.valued) return plain.tag
    const found = (plain && readValue(text, at, plain)) ?? this.search(text, at)
    if (found !== undefined) return found
    return !ended && this.mayBegin(text, at) ? 'maybe' : undefined
  }

  /** Where the first tag of a text is, whatever stands around it; -1 without. */
  find(text: string): number {
    let at = text.indexOf('<')
    while (at !== -1 && this.match(text, at, true) === undefined) at = text.indexOf('<', at + 1)
    return at
  }

  private search(text: string, at: number): Tag | undefined {
    this.pattern.lastIndex = at
    const found = this.pattern.exec(text)
    if (found === null) return undefined
    const [raw, literal, slash, xml, closed, valued, value] = found
    const name = keyed(this.names, (literal ?? xml ?? closed ?? valued ?? '').toLowerCase())
    const closing = slash === '/' || closed !== undefined
    const form = `<${closing ? '/' : ''}${name}${value === undefined ? '' : '='}>`
    return value === undefined ? { name, closing, form, raw } : { name, closing, form, value, raw }
  }

  private mayBegin(text: string, at: number): boolean {
    const rest = text.length - at
    if (rest > this.longestStem + MAX_VALUE) return false
    const tail = text.slice(at).toLowerCase()
    return this.stems.some((stem) =>
      rest <= stem.text.length
        ? stem.text.startsWith(tail)
        : stem.tail !== undefined &&
          tail.startsWith(stem.text) &&
          stem.tail.test(tail.slice(stem.text.length)),
    )
  }
}

/** A tag in small letters without attributes, or the beginning of one that has a value. */
interface PlainTag {
  readonly start: string
  readonly valued: boolean
  readonly tag: Tag
}

/** The tag with the value that stands there; undefined where it is no simple word. */
function readValue(text: string, at: number, { start, tag }: PlainTag): Tag | undefined {
  SIMPLE_VALUE.lastIndex = at + start.length
  const value = SIMPLE_VALUE.exec(text)?.[1]
  const { name, closing, form } = tag
  return value === undefined ? undefined : { name, closing, form, value, raw: `${start}${value}>` }
}

/** How a tag begins, and what may follow before its end comes. */
interface Stem {
  readonly text: string
  readonly tail?: RegExp
}

const ATTRIBUTES = new RegExp(`^\\s[^<>]{0,${MAX_ATTRIBUTES}}$`)
const VALUE = new RegExp(`^[^<>\\n]{0,${MAX_VALUE}}$`)

function toStems(tag: string): Stem[] {
  const name = toName(tag).toLowerCase()
  if (XML.test(tag)) return [`<${name}`, `</${name}`].map((text) => ({ text, tail: ATTRIBUTES }))
  if (VALUED.test(tag))
    return [
      { text: `<${name}=`, tail: VALUE },
      { text: `</${name}`, tail: ATTRIBUTES },
    ]
  return [{ text: tag.toLowerCase() }]
}

function toName(tag: string): string {
  return tag.slice(1, VALUED.test(tag) ? -2 : -1)
}

/** Its groups: a literal tag · slash and name · the name of a closing tag of the kind that has values · name and value. */
function toPattern(tags: readonly string[]): RegExp {
  const xml = alternatives(tags.filter((tag) => XML.test(tag)))
  const valued = alternatives(tags.filter((tag) => VALUED.test(tag)))
  const literal = alternatives(tags.filter((tag) => !XML.test(tag) && !VALUED.test(tag)))
  const attributes = `(?:\\s[^<>]{0,${MAX_ATTRIBUTES}})?`
  const forms = [
    `(${literal})>`,
    `(/?)(${xml})${attributes}>`,
    `/(${valued})${attributes}>`,
    `(${valued})=([^<>\\n]{1,${MAX_VALUE}})>`,
  ]
  return new RegExp(`<(?:${forms.join('|')})`, 'iy')
}

/** A pattern of any of these names; one that never matches, if there are none. */
function alternatives(tags: readonly string[]): string {
  return tags.length === 0
    ? '(?!)'
    : tags.map((tag) => toName(tag).replace(/[|\\.*+?^$(){}[\]]/g, '\\$&')).join('|')
}
