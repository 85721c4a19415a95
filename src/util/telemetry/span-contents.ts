import { MAX_SPAN_CONTENT } from '../limits.js'
import { maskText } from './mask-secrets.js'

/** Writes what was said as an attribute of a span holds it. */
export type WriteContents = (content: unknown) => string

/**
 * Makes the writer for spans with contents: a text as it is, all else as JSON, its beginning alone where it is long, and
 * the secrets masked. What it costs has nothing to do with how long the content is.
 *
 * @param secrets values that no span may hold
 */
export function createSpanContents(secrets: readonly string[]): WriteContents {
  // Inside JSON a secret with quotes looks different.
  const values = [...new Set(secrets.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))]
  // One that begins before the limit is there as a whole, and so is found.
  const limit = MAX_SPAN_CONTENT + Math.max(0, ...values.map(({ length }) => length))
  return (content) => {
    const text = typeof content === 'string' ? content.slice(0, limit) : beginningOfJson(content, limit)
    return maskText(text, values).slice(0, MAX_SPAN_CONTENT)
  }
}

/** The first characters of a value's JSON; what comes after them is not looked at. */
function beginningOfJson(value: unknown, limit: number): string {
  const writer = new JsonBeginning(limit)
  writer.write(value, 0)
  return writer.text
}

/** Deeper values are left out. */
const MAX_DEPTH = 64

class JsonBeginning {
  text = ''
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get #isFull(): boolean {
    return this.text.length >= this.#limit
  }

  write(value: unknown, depth: number): void {
    if (this.#isFull) return
    if (typeof value === 'string') this.text += JSON.stringify(value.slice(0, this.#limit - this.text.length))
    else if (typeof value === 'bigint') this.text += value
    else if (typeof value !== 'object' || value === null) this.text += JSON.stringify(value) ?? 'null'
    else if (depth === MAX_DEPTH) this.text += 'null'
    else if (Array.isArray(value)) this.#writeList(value, depth)
    else this.#writeObject(value, depth)
  }

  #writeList(list: readonly unknown[], depth: number): void {
    this.text += '['
    for (let index = 0; index < list.length && !this.#isFull; index += 1) {
      if (index > 0) this.text += ','
      this.write(list[index], depth + 1)
    }
    this.text += ']'
  }

  #writeObject(object: object, depth: number): void {
    this.text += '{'
    let isFirst = true
    for (const name in object) {
      if (this.#isFull) break
      if (!Object.hasOwn(object, name)) continue
      this.text += isFirst ? '' : ','
      isFirst = false
      this.write(name, depth)
      this.text += ':'
      this.write(Reflect.get(object, name), depth + 1)
    }
    this.text += '}'
  }
}
