import type { Value } from '../value.js'

/** The declarations of a table's entries, to follow another declaration. */
export function constantNames(constants: Constants): string {
  let text = ''
  for (let i = 0; i < constants.size; i++) text += `,k${i}=c[${i}]`
  return text
}

/** One entry of the table that the generated code reads by index. */
interface Entry {
  readonly isText: boolean
  readonly value: unknown
}

/** What generated code cannot say itself: text, names, values and places, each known to it by an index only. */
export class Constants {
  readonly #entries: Entry[] = []

  /** The name under which the generated code finds a value. */
  add(value: unknown): string {
    return this.#push({ isText: false, value })
  }

  /** The same for static text, which `output: 'json'` replaces by its escaped form. */
  addText(text: string): string {
    return this.#push({ isText: true, value: text })
  }

  get size(): number {
    return this.#entries.length
  }

  /** The table itself. */
  values(escapeText: (text: string) => string): Value[] {
    return this.#entries.map(({ isText, value }) => (isText ? escapeText(value as string) : value))
  }

  #push(entry: Entry): string {
    return `k${this.#entries.push(entry) - 1}`
  }
}
