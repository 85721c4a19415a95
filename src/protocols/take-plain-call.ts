import { own } from '../util/json/json.js'
import { isAllArguments, pairJson, type ValueForm } from './pair-json.js'
import type { PlainTags } from './plain-tags.js'
import type { Reading } from './reading.js'
import type { Tag, TagSet } from './tag-set.js'
import type { ArgumentSchemas } from './tool-schemas.js'

/** A call that is written plainly. */
export interface PlainCall {
  /** With its opening tag. */
  readonly raw: string
  readonly name: string
  readonly arguments: string
}

/** More arguments are read one by one. */
const MAX_PAIRS = 32

/**
 * Reads a call of which nothing is unusual, at once: each tag as the family writes it, and none in a value. Undefined where
 * anything is not so, and where not all of it is there yet: nothing is read then, and it is read tag by tag. The rows of the
 * families with values in tags of `npm run bench:protocols` are what this is for.
 *
 * @param open was read last
 */
export function takePlainCall(reading: Reading, open: Tag, form: ValueForm): PlainCall | undefined {
  const { scanner, forms, plainTags } = reading
  const { text, at } = scanner
  if (plainTags === undefined) return undefined
  const isNamed = open.form === forms.function
  if (isNamed !== (plainTags.name === undefined)) return undefined
  const reader = new PlainReader(reading, plainTags, form)
  const name = isNamed ? open.value?.trim() : reader.name()
  if (name === undefined || name === '') return undefined
  const args = reader.arguments(reading.schemas.ofArguments(name))
  if (args === undefined) return undefined
  scanner.at = reader.at
  return { name, arguments: args, raw: text.slice(at - open.raw.length, reader.at) }
}

class PlainReader {
  at: number
  private readonly text: string
  private readonly reading: Reading
  private readonly plain: PlainTags
  private readonly form: ValueForm
  private key = ''
  private said: string | undefined
  /** The value as JSON between quotes has it; undefined for any other. */
  private plainValue: string | undefined
  private value = ''

  constructor(reading: Reading, plain: PlainTags, form: ValueForm) {
    const { text, at } = reading.scanner
    this.text = text
    this.at = at
    this.reading = reading
    this.plain = plain
    this.form = form
  }

  /** The name of the function behind its tag. */
  name(): string | undefined {
    const { name } = this.plain
    if (name === undefined) return undefined
    name.lastIndex = this.at
    const found = name.exec(this.text)?.[1]
    this.at = name.lastIndex
    return found
  }

  /** The JSON of all arguments, up to the end of the call. */
  arguments(schemas: ArgumentSchemas): string | undefined {
    const { end } = this.plain
    const keys: string[] = []
    let members = ''
    while (this.pair()) {
      const { key } = this
      if (keys.length === MAX_PAIRS || keys.includes(key)) return undefined
      // A word in quotes is valid JSON.
      members += keys.length === 0 ? `"${key}":${this.json(schemas)}` : `,"${key}":${this.json(schemas)}`
      keys.push(key)
    }
    if (keys.length === 1 && isAllArguments(this.key, this.plainValue ?? this.unescaped(), schemas.all))
      return undefined
    end.lastIndex = this.at
    if (!end.test(this.text)) return undefined
    this.at = end.lastIndex
    return `{${members}}`
  }

  private json(schemas: ArgumentSchemas): string {
    const { form, key, said, plainValue } = this
    if (plainValue !== undefined) {
      const isText = form.typed === undefined ? schemas.isText(key) : form.typed.isText(said)
      if (isText) return `"${plainValue}"`
    }
    const value = plainValue ?? this.unescaped()
    return pairJson(form, value, said, form.typed === undefined ? own(schemas.all, key) : undefined)
  }

  private unescaped(): string {
    return this.reading.tagEscape.unescape(this.value)
  }

  /** Reads an argument. */
  private pair(): boolean {
    const { pair } = this.plain
    pair.lastIndex = this.at
    const found = pair.exec(this.text)
    if (found === null) return this.pairByTags()
    this.at = pair.lastIndex
    this.key = found[1] ?? ''
    this.said = found[2]
    this.plainValue = found[3]
    this.value = found[4] ?? ''
    return true
  }

  /** Reads an argument whose value has what tags begin with. */
  private pairByTags(): boolean {
    const { pairHead, valueClose, named } = this.plain
    const { text } = this
    pairHead.lastIndex = this.at
    const found = pairHead.exec(text)
    if (found === null) return false
    const from = pairHead.lastIndex
    const [, key = '', said] = found
    const to = named === undefined ? this.nextTag(this.reading.tags, from) : text.indexOf(named.token, from)
    const close = named === undefined ? valueClose : `${valueClose}${key}${named.keyEnd}`
    if (to === -1 || !text.startsWith(close, to)) return false
    this.key = key
    this.said = said
    this.plainValue = undefined
    this.value = text.slice(from, to)
    this.at = to + close.length
    return true
  }

  /** Where the first tag of the form is; -1 without. */
  private nextTag(tags: TagSet, from: number): number {
    const { text } = this
    const { valueClose } = this.plain
    let at = tags.next(text, from)
    while (at !== -1 && !text.startsWith(valueClose, at) && tags.match(text, at, false) === undefined)
      at = tags.next(text, at + 1)
    return at
  }
}
