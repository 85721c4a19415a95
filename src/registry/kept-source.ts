import { type JsonObject, stringifyJson } from '../util/json.js'
import type { DocumentSource } from './locate.js'

/** Longer texts, in UTF-16 code units, are kept as they are: to write them again takes too long. */
const MOST_WRITTEN_AGAIN = 65_536

/**
 * The text of a document that is served, for as long as it is. Where it is what `stringifyJson` makes of its value, as
 * programs write it, only the value is kept: in a large catalog the text is two fifths of the memory.
 *
 * @param value what the text says
 */
export function keptSource({ text, format }: DocumentSource, value: JsonObject): DocumentSource {
  const isWrittenAgain = text.length <= MOST_WRITTEN_AGAIN && stringifyJson(value) === text
  return isWrittenAgain ? new WrittenAgain(value, format) : { text, format }
}

class WrittenAgain implements DocumentSource {
  readonly format: DocumentSource['format']
  readonly #value: JsonObject

  constructor(value: JsonObject, format: DocumentSource['format']) {
    this.format = format
    this.#value = value
  }

  get text(): string {
    return stringifyJson(this.#value)
  }
}
