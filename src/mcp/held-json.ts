import type { PromptMessage } from '@modelcontextprotocol/server'
import type { JsonObject } from '../util/json/json.js'
import { jsonPieces } from '../util/json/json-pieces.js'
import { newId } from '../util/new-id.js'

/** What is longer is written apart from the rest of its answer, in characters. */
const LONG = 65_536

/** A tool's answer, of which a text may be long. */
interface LongAnswer {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: JsonObject
}

/** A value, and the JSON text that stands for it. */
interface Held {
  readonly standIn: string
  readonly value: unknown
}

/**
 * The large values of one answer. The SDK checks and serializes an answer in one piece, which holds the event loop for
 * 10 ms a megabyte: it gets small values in their place, and what they stand for is written in pieces while the answer
 * is sent.
 */
export class HeldJson {
  #held: readonly Held[] = []

  get isEmpty(): boolean {
    return this.#held.length === 0
  }

  text(text: string): string {
    return text.length > LONG ? this.#hold(text, (mark) => mark) : text
  }

  messages(messages: PromptMessage[]): PromptMessage[] {
    let length = 0
    for (const { content } of messages) length += lengthOf(content)
    if (length <= LONG) return messages
    return this.#hold(messages, (mark) => [{ role: 'user', content: { type: 'text', text: mark } }])
  }

  /** A tool's answer, whose structured content is as long as its text. */
  answer<Answer extends LongAnswer>(answer: Answer): Answer {
    const { content, structuredContent } = answer
    if (!content.some(({ text }) => text.length > LONG)) return answer
    return {
      ...answer,
      content: content.map((part) => ({ ...part, text: this.text(part.text) })),
      ...(structuredContent !== undefined && {
        structuredContent: this.#hold(structuredContent, (mark) => ({ held: mark })),
      }),
    }
  }

  #hold<StandIn>(value: unknown, standInOf: (mark: string) => StandIn): StandIn {
    const standIn = standInOf(newId())
    this.#held = [...this.#held, { standIn: JSON.stringify(standIn), value }]
    return standIn
  }

  /** What the SDK wrote, with the values in their places, which are held no longer. */
  async *whole(written: string): AsyncGenerator<string> {
    const all = this.#held.map((held) => ({ ...held, at: written.indexOf(held.standIn) }))
    const there = all.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at)
    // The others are of another message's answer.
    this.#held = all.filter(({ at }) => at < 0)
    let end = 0
    for (const { at, standIn, value } of there) {
      yield written.slice(end, at)
      yield* jsonPieces(value)
      end = at + standIn.length
    }
    yield written.slice(end)
  }
}

function lengthOf(content: PromptMessage['content']): number {
  if (content.type === 'text') return content.text.length
  if (content.type === 'image' || content.type === 'audio') return content.data.length
  if (content.type === 'resource') {
    const { resource } = content
    return 'blob' in resource ? resource.blob.length : resource.text.length
  }
  return 0
}
