import type { History } from '../../conversation/history.js'
import type { MessagePage } from '../../state/state-store.js'
import { at } from '../../util/at.js'
import { sizeOfJson } from '../../util/json/size-of-json.js'
import { readMessage, type SessionMessage } from './session-record.js'

/**
 * A context's messages as state keeps them, and as the loop sees them: what is stored only grows, the newest summary
 * stands before what it does not cover.
 */
export class StoredHistory {
  /** What is stored, in its order, and what is about to be. */
  readonly #stored: SessionMessage[]
  readonly #from: number
  /** What the loop sees, by the places in the stored list. */
  readonly #shown: number[]

  constructor({ from, messages }: MessagePage) {
    this.#from = from
    this.#stored = messages.map(readMessage)
    const places = this.#stored.map((_, place) => place)
    const summary = this.#stored.findLastIndex(isSummary)
    const others = places.filter((place) => !isSummary(at(this.#stored, place)))
    this.#shown = summary === -1 ? places : [summary, ...others]
  }

  get messages(): readonly SessionMessage[] {
    return this.#stored
  }

  /** The index in the context of the first message. */
  get from(): number {
    return this.#from
  }

  get history(): History {
    return { messages: this.#shown.map((place) => at(this.#stored, place)) }
  }

  /** About how many characters of it a model has to be shown. */
  get size(): number {
    return this.#shown.reduce((size, place) => size + sizeOfJson(at(this.#stored, place).message), 0)
  }

  /** Which agent said what was said last by one. */
  get answeredBy(): string | undefined {
    return this.#stored.findLast(({ agent }) => agent !== undefined)?.agent
  }

  add(messages: readonly SessionMessage[]): void {
    for (const message of messages) this.#shown.push(this.#stored.push(message) - 1)
  }

  /** The index in the context of a place of {@link history}; behind its end: of the next message. */
  indexOf(place: number): number {
    return this.#from + (this.#shown[place] ?? this.#stored.length)
  }
}

function isSummary({ kind }: SessionMessage): boolean {
  return kind === 'summary'
}
