import { type JsonObject, own, parseObject } from '../util/json/json.js'
import type { Forms, PairsBody } from './grammar.js'
import { isAllArguments, pairJson } from './pair-json.js'
import type { Part } from './protocol.js'
import { giveUp, type Reading } from './reading.js'
import type { ScanSteps, TagWatch } from './scanner.js'
import { attributeIn, type Tag } from './tag-set.js'
import { takePlainCall } from './take-plain-call.js'
import { keyJson } from './value-json.js'

/** A value, the name of its argument, and what the tag says of it. */
interface Pair {
  readonly key: string
  readonly text: string
  readonly said: string | undefined
}

const MAX_NAME = 300
/** Longer lists of arguments are not parsed as a call. */
const MAX_ARGUMENTS = 1_000
const NAME = /^[^\s<>{}]+$/
const LINE_START = /(?:^|\n)[ \t]*$/

/** Reads a call that has every argument as a name and a text. */
export function* readPairsCall(reading: Reading, open: Tag, body: PairsBody): ScanSteps<void> {
  const { scanner, tags } = reading
  const call = new PairsCall(reading, open, body)
  if (call.state === 'function' && body.separator !== undefined) call.raw += yield* readWord(reading)
  if (call.state === 'name') call.takeName(yield* scanner.upTo(/</, MAX_NAME))
  while (call.state !== 'end') {
    // No generator of its own for every tag: calls have many, and a generator costs as much as reading one.
    if (call.closing !== undefined) {
      const next = scanner.peekTag(tags)
      if (next === 'maybe') yield
      else call.settle(call.closing, next)
    } else {
      const tag = call.readsText ? scanner.toTag(tags, call.watch) : scanner.tagHere(tags)
      const undecided = tag === 'maybe' || (tag === undefined && call.readsText && !scanner.ended)
      if (undecided) yield
      else if (tag === undefined && call.mayHoldObject) yield* readObject(reading, call)
      else call.take(tag)
    }
  }
  if (call.problem === undefined) reading.emit(call.toPart(), call.raw)
  else yield* giveUp(reading, call.raw, call.problem)
}

/** Reads a call of which nothing is unusual, if all of it is there; false where nothing was read. */
export function takePlainPairs(reading: Reading, open: Tag, body: PairsBody): boolean {
  const plain = takePlainCall(reading, open, body)
  if (plain === undefined) return false
  reading.emit({ kind: 'call', name: plain.name, arguments: plain.arguments }, plain.raw)
  return true
}

/** A word in front of the separator that names no tool. */
function* readWord({ scanner }: Reading): ScanSteps<string> {
  const text = (yield* scanner.upTo(/</, MAX_NAME)) ?? ''
  if (text.trim() === '' || text.trim() === 'function') return text
  scanner.unread(text)
  return ''
}

/** In place of pairs models also write one JSON object. */
function* readObject({ scanner, tags }: Reading, call: PairsCall): ScanSteps<void> {
  const next = yield* scanner.peek()
  if (next?.character !== '{') return call.take(undefined)
  call.raw += scanner.take(next.at)
  const { text, complete } = yield* scanner.object(tags)
  call.takeObject(text, complete)
}

/**
 * What comes next in a call: the tag of the function, or its name as text; between pairs; in the name of an argument; the
 * tag of its value; in the value; behind the end of the function; nothing more.
 */
type State = 'function' | 'name' | 'between' | 'key' | 'opening' | 'value' | 'closing' | 'end'

/** What follows a tag in a value: another tag, the end of the text, or more text. */
type Follower = Tag | 'end' | undefined

/**
 * A call while it is read, tag by tag. In a value a tag of the form only counts where the form continues after it; else, and
 * where the value holds a call of its own, it is text.
 */
class PairsCall {
  state: State
  raw: string
  /** Why it is invalid. */
  problem: string | undefined
  /** A closing tag in a value, which ends it or is text, as what follows says. */
  closing: Tag | undefined
  readonly watch: TagWatch = {
    onText: (text) => {
      this.text += text
    },
  }
  private name = ''
  /** The name of the argument that is read, what its tag says of it, and the text since the last tag. */
  private key = ''
  private said: string | undefined
  private text = ''
  /** The name of the tag around this text. */
  private around = ''
  /** The names of tags that were opened inside of a value. */
  private inner: string[] = []
  private readonly values = new Map<string, Pair>()
  private object: string | undefined
  private readonly reading: Reading
  private readonly body: PairsBody
  private readonly forms: Forms

  constructor(reading: Reading, open: Tag, body: PairsBody) {
    this.reading = reading
    this.body = body
    this.forms = reading.forms
    this.raw = open.raw
    this.state = body.function === undefined ? 'name' : 'function'
    // The tag of the function may come without the one around it.
    if (open.form === this.forms.function) this.takeNameOf(open)
  }

  get readsText(): boolean {
    return this.state === 'key' || this.state === 'value'
  }

  get mayHoldObject(): boolean {
    return this.state === 'between' && this.values.size === 0 && this.object === undefined
  }

  takeName(text: string | undefined): void {
    this.name = text?.trim() ?? ''
    if (text !== undefined && NAME.test(this.name)) {
      this.raw += text
      this.state = 'between'
      return
    }
    this.reading.scanner.unread(text ?? '')
    this.fail('The name of a tool must follow the opening tag')
  }

  takeObject(text: string, complete: boolean): void {
    this.raw += text
    if (complete && parseObject(text) !== undefined) this.object = text
    else this.fail('The JSON object is incomplete or invalid')
  }

  take(tag: Tag | undefined): void {
    if (this.state === 'between') this.takeBetween(tag)
    else if (this.state === 'value') this.takeInValue(tag)
    else if (this.state === 'key') this.takeInKey(tag)
    else if (this.state === 'opening') this.takeOpening(tag)
    else if (this.state === 'function') this.takeFunction(tag)
    else this.takeClosing(tag)
  }

  private takeFunction(tag: Tag | undefined): void {
    if (tag !== undefined && tag.form === this.forms.function) {
      this.raw += tag.raw
      this.takeNameOf(tag)
    } else if (tag !== undefined && tag.form === this.body.separator) this.raw += tag.raw
    else
      this.fail(
        `${(this.body.function ?? '').replace(/=(?:"")?>$/, '=name>')} must follow the opening tag`,
        tag,
      )
  }

  private takeNameOf(tag: Tag): void {
    this.name = tag.value?.trim() ?? ''
    this.state = 'between'
  }

  private takeBetween(tag: Tag | undefined): void {
    const { body, values, reading } = this
    const { close } = reading.grammar
    const isKey = tag !== undefined && tag.form === this.forms.key
    if (values.size > MAX_ARGUMENTS) this.fail('There are too many arguments', tag)
    else if (isKey) this.beginPair(tag)
    else if (tag !== undefined && tag.form === close) this.end(tag)
    else if (tag !== undefined && tag.form === this.forms.functionClose) {
      this.raw += tag.raw
      this.state = close === undefined ? 'end' : 'closing'
    } else if (tag !== undefined && this.isAround(tag)) this.raw += tag.raw
    else this.fail(`${this.forms.functionClose ?? close} is missing`, tag)
    if (isKey && this.object !== undefined) this.fail('Arguments follow a JSON object')
    if (isKey && tag.value === '' && body.value === undefined) this.fail('A value has no name')
  }

  /** Tags that say nothing of their own: the separator behind the name, those around a JSON object. */
  private isAround(tag: Tag): boolean {
    return tag.form === this.body.separator || this.forms.json.has(tag.form)
  }

  private takeClosing(tag: Tag | undefined): void {
    const closes = tag?.form === this.reading.grammar.close
    this.end(closes ? tag : undefined, closes ? undefined : tag)
  }

  private beginPair(tag: Tag): void {
    this.key = tag.value ?? ''
    this.said =
      this.body.typed && tag.attributes !== undefined
        ? attributeIn(tag.attributes, this.body.typed.pattern)
        : undefined
    this.enter(tag, this.body.value === undefined ? 'value' : 'key')
  }

  private enter(tag: Tag, state: State): void {
    this.raw += tag.raw
    this.text = ''
    this.around = tag.name
    this.inner = []
    this.state = state
  }

  private takeOpening(tag: Tag | undefined): void {
    if (tag?.form === this.body.value && tag !== undefined) this.enter(tag, 'value')
    else this.cut(tag)
  }

  private takeInKey(tag: Tag | undefined): void {
    this.raw += this.text
    if (tag?.closing === true && tag.name === this.around) {
      this.raw += tag.raw
      this.key = this.text
      this.state = 'opening'
    } else this.cut(tag)
  }

  private takeInValue(tag: Tag | undefined): void {
    if (tag === undefined) {
      this.raw += this.text
      this.cut(tag)
    } else if (tag.closing) this.closing = tag
    else if (this.isForgotten(tag)) {
      this.reading.scanner.unread(tag.raw)
      this.raw += this.text
      this.endPair()
    } else {
      this.inner.push(tag.name)
      this.text += tag.raw
    }
  }

  /** The next argument begins, though the end of this one was forgotten: only if the tool has that argument, at a line's start. */
  private isForgotten({ form, value = '' }: Tag): boolean {
    if (form !== this.forms.key || this.forms.function === undefined || this.inner.length > 0) return false
    const name = value.trim()
    return LINE_START.test(this.text.slice(-80)) && this.isMissing(name)
  }

  private isMissing(name: string): boolean {
    return Object.hasOwn(this.properties(), name) && name !== this.key.trim() && !this.values.has(name)
  }

  /** Decides what a closing tag in a value is. */
  settle(tag: Tag, next: Follower): void {
    this.closing = undefined
    if (this.endsValue(tag, next)) {
      const isOwn = tag.name === this.around
      this.raw += isOwn ? this.text + tag.raw : this.text
      if (!isOwn) this.reading.scanner.unread(tag.raw)
      this.endPair()
      return
    }
    const opened = this.inner.lastIndexOf(tag.name)
    if (opened !== -1) this.inner.length = opened
    this.text += tag.raw
  }

  private endsValue(tag: Tag, next: Follower): boolean {
    if (next === undefined) return false
    const form = typeof next === 'object' ? next.form : next
    if (tag.name === this.around) {
      if (this.isInnerCall && this.inner.includes(tag.name)) return false
      if (form === this.forms.key && typeof next === 'object') {
        return this.inner.length === 0 || this.isMissing(next.value?.trim() ?? '')
      }
      return form === 'end' || form === this.forms.functionClose || this.closesCall(form)
    }
    // The end of the value was forgotten.
    if (this.forms.function === undefined || this.inner.includes(tag.name)) return false
    if (tag.form === this.forms.functionClose)
      return form === 'end' || this.closesCall(form) || this.opensCall(form)
    return tag.form === this.reading.grammar.close && (form === 'end' || this.opensCall(form))
  }

  /** A call was opened inside of this value, and its tags are not ours. */
  private get isInnerCall(): boolean {
    const { open } = this.reading.grammar
    return this.inner.some(
      (name) =>
        `<${name}>` === open || `<${name}>` === this.forms.function || `<${name}=>` === this.forms.function,
    )
  }

  private closesCall(form: string | undefined): boolean {
    return form !== undefined && this.forms.ends.has(form)
  }

  private opensCall(form: string | undefined): boolean {
    const { open } = this.reading.grammar
    return form !== undefined && (form === open || form === this.forms.function)
  }

  private endPair(): void {
    const key = this.key.trim()
    if (this.values.has(key)) this.fail(`${JSON.stringify(key)} is given twice`)
    else this.state = 'between'
    this.values.set(key, { key, text: this.text, said: this.said })
  }

  private cut(tag: Tag | undefined): void {
    this.fail('A value was cut off', tag)
  }

  private fail(problem: string, unwanted?: Tag): void {
    this.problem = problem
    this.end(undefined, unwanted)
  }

  private end(close: Tag | undefined, unwanted?: Tag): void {
    if (close !== undefined) this.raw += close.raw
    if (unwanted !== undefined) this.reading.scanner.unread(unwanted.raw)
    this.state = 'end'
  }

  /** The schemas of the tool's arguments. */
  private properties(): JsonObject {
    return this.reading.schemas.ofArguments(this.name).all
  }

  /** What was read, when it has its end. */
  toPart(): Part {
    const { name, raw, values, object, body } = this
    if (name === '') return { kind: 'malformed', raw, reason: 'The name of the tool is missing' }
    if (object !== undefined) return { kind: 'call', name, arguments: object }
    return callOf(name, [...values.values()], this.properties(), this.reading, body)
  }
}

function callOf(
  name: string,
  pairs: readonly Pair[],
  schemas: JsonObject,
  { tagEscape }: Reading,
  body: PairsBody,
): Part {
  let members = ''
  for (const { key, text, said } of pairs) {
    const value = tagEscape.unescape(text)
    if (pairs.length === 1 && isAllArguments(key, value, schemas)) {
      return { kind: 'call', name, arguments: value.trim() }
    }
    members += `${members === '' ? '' : ','}${keyJson(key)}:${pairJson(body, value, said, own(schemas, key))}`
  }
  return { kind: 'call', name, arguments: `{${members}}` }
}
