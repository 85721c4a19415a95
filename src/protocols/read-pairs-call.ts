import { isJsonObject, own, stringifyJson } from '../util/json.js'
import { closeOf, type PairsBody } from './grammar.js'
import type { Part } from './protocol.js'
import { giveUp, type Reading } from './reading.js'
import { resolveTool } from './resolve-tool.js'
import type { Steps } from './scanner.js'
import type { Tag } from './tag-set.js'
import { valueJson } from './value-json.js'

const MAX_NAME = 300
/** A call with more arguments is none. */
const MAX_ARGUMENTS = 1_000
const WORD = /^\w+$/
const NAME = /^[^\s<>{}]+$/

/** Reads a call that has every argument as a name and a text. */
export function* readPairsCall(reading: Reading, open: Tag, body: PairsBody): Steps<void> {
  const { scanner, tags } = reading
  const call = new PairsCall(reading, open, body)
  if (call.state === 'name') call.takeName(yield* scanner.upTo(/</, MAX_NAME))
  while (call.state !== 'end') {
    // No generator of its own for every tag: calls have many, and a generator costs as much as reading one.
    const tag = call.readsText ? scanner.toTag(tags, call.onText) : scanner.tagHere(tags)
    const undecided = tag === 'maybe' || (tag === undefined && call.readsText && !scanner.ended)
    if (undecided) yield
    else call.take(tag)
  }
  if (call.problem === undefined) reading.emit(call.toPart())
  else yield* giveUp(reading, call.raw, call.problem)
}

/**
 * What comes next in a call: the tag of the function, or its name as text; between pairs; in the name of an argument; the
 * tag of its value; in the value; behind the end of the function; nothing more.
 */
type State = 'function' | 'name' | 'between' | 'key' | 'opening' | 'value' | 'closing' | 'end'

/** A call while it is read, tag by tag. */
class PairsCall {
  state: State
  raw: string
  /** Why it is none. */
  problem: string | undefined
  private name = ''
  /** The name of the argument that is read, and the text since the last tag. */
  private key = ''
  private text = ''
  /** The name of the tag around this text. */
  private around = ''
  private readonly values = new Map<string, string>()
  private readonly reading: Reading
  private readonly body: PairsBody

  constructor(reading: Reading, open: Tag, body: PairsBody) {
    this.reading = reading
    this.body = body
    this.raw = open.raw
    this.state = body.function === undefined ? 'name' : 'function'
    // The tag of the function may come without the one around it.
    if (open.form === body.function) this.takeNameOf(open)
  }

  get readsText(): boolean {
    return this.state === 'key' || this.state === 'value'
  }

  readonly onText = (text: string): void => {
    this.text += text
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

  take(tag: Tag | undefined): void {
    if (this.state === 'between') this.takeBetween(tag)
    else if (this.state === 'key' || this.state === 'value') this.takeText(tag)
    else if (this.state === 'opening') this.takeOpening(tag)
    else if (this.state === 'function') this.takeFunction(tag)
    else this.takeClosing(tag)
  }

  private takeFunction(tag: Tag | undefined): void {
    const written = this.body.function ?? ''
    if (tag?.form === written) {
      this.raw += tag.raw
      this.takeNameOf(tag)
    } else this.fail(`${written.replace('=', '=name')} must follow the opening tag`, tag)
  }

  private takeNameOf(tag: Tag): void {
    this.name = tag.value?.trim() ?? ''
    this.state = 'between'
  }

  private takeBetween(tag: Tag | undefined): void {
    const { body, values, reading } = this
    const { close } = reading.grammar
    if (values.size > MAX_ARGUMENTS) this.fail('There are too many arguments', tag)
    else if (tag?.form === body.key) this.beginPair(tag)
    else if (tag?.form === close) this.end(tag)
    else if (body.function !== undefined && tag?.form === closeOf(body.function)) {
      this.raw += tag.raw
      this.state = 'closing'
    } else if (body.function !== undefined && values.size > 0) this.end(undefined, tag)
    else this.fail(`${close} is missing`, tag)
  }

  private takeClosing(tag: Tag | undefined): void {
    const closes = tag?.form === this.reading.grammar.close
    this.end(closes ? tag : undefined, closes ? undefined : tag)
  }

  private beginPair(tag: Tag): void {
    this.key = tag.value ?? ''
    this.enter(tag, this.body.value === undefined ? 'value' : 'key')
  }

  private enter(tag: Tag, state: State): void {
    this.raw += tag.raw
    this.text = ''
    this.around = tag.name
    this.state = state
  }

  private takeOpening(tag: Tag | undefined): void {
    if (tag?.form === this.body.value && tag !== undefined) this.enter(tag, 'value')
    else this.cut(tag)
  }

  /** Text goes up to its closing tag; where the form forgives its absence, up to the next tag. */
  private takeText(tag: Tag | undefined): void {
    this.raw += this.text
    if (tag?.closing === true && tag.name === this.around) {
      this.raw += tag.raw
      this.endText()
    } else if (tag !== undefined && this.body.function !== undefined) {
      this.reading.scanner.unread(tag.raw)
      this.endText()
    } else this.cut(tag)
  }

  private endText(): void {
    if (this.state === 'value') this.endPair()
    else {
      this.key = this.text
      this.state = 'opening'
    }
  }

  private endPair(): void {
    const value = this.reading.tagEscape.unescape(this.text)
    // A tag that has the name itself stands on a line of its own, and the value on lines between.
    this.values.set(this.key.trim(), this.body.value === undefined ? withoutOuterNewlines(value) : value)
    this.state = 'between'
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

  /** What was read, when it has its end. */
  toPart(): Part {
    const { name, raw, reading, values } = this
    if (name === '') return { kind: 'malformed', raw, reason: 'The name of the tool is missing' }
    const parameters = resolveTool({ name }, reading.tools)?.parameters
    const properties = parameters && own(parameters, 'properties')
    const schemas = isJsonObject(properties) ? properties : {}
    let members = ''
    for (const [key, text] of values) {
      members += `${members === '' ? '' : ','}${keyJson(key)}:${valueJson(text, own(schemas, key))}`
    }
    return { kind: 'call', name, arguments: `{${members}}` }
  }
}

function keyJson(key: string): string {
  return WORD.test(key) ? `"${key}"` : stringifyJson(key)
}

function withoutOuterNewlines(text: string): string {
  const start = text.startsWith('\n') ? 1 : text.startsWith('\r\n') ? 2 : 0
  const end = text.length - (text.endsWith('\r\n') ? 2 : text.endsWith('\n') ? 1 : 0)
  return end > start ? text.slice(start, end) : ''
}
