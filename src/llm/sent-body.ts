import { type JsonObject, own } from '../util/json/json.js'
import { textField } from '../util/json/json-fields.js'

const MODEL = '"model"'
/** Begins every escape of an ASCII letter: `"\u006dodel"` is the name `model`, too. */
const ESCAPE = '\\u00'
const ESCAPED_LETTER = /\\u00[567]/
const OPENING_BRACE = 0x7b
const BACKSLASH = 0x5c
const QUOTE = 0x22
/** Between the name of a member and the text that it has. */
const BEFORE_TEXT = /^\s*:\s*"/
/** White space there is rarely more than one. */
const MAX_BEFORE_TEXT = 16

/**
 * A JSON object as a client sent it: its bytes and its value. Where nothing changes on its way to an upstream its bytes are passed on as
 * they came; another model, and `stream_options` that were not there, are put into them. Rows `0.5 KB` and `64 KB` of
 * `npm run bench:chat`.
 */
export class SentBody {
  readonly #value: JsonObject
  readonly #bytes: Buffer
  /** Whether every reader of the bytes finds the same model in them. */
  readonly #isClear: boolean

  /** @param text what the bytes are; it is not kept */
  constructor(value: JsonObject, bytes: Buffer, text = bytes.toString('latin1')) {
    this.#value = value
    this.#bytes = bytes
    // In a text, which is searched in a fraction of the time.
    this.#isClear = hasOne(text, MODEL) && !hasEscapedLetters(text)
  }

  /**
   * The bytes of a request that was made of this body; undefined where it has to be written: more has changed, or another
   * reader of the same bytes could find another model in them.
   */
  bytesOf(request: JsonObject): Buffer | undefined {
    if (!this.#isClear) return undefined
    const model = textField(request, 'model')
    if (request === this.#value && model !== undefined) return this.#bytes
    if (!this.#isOrigin(request)) return undefined
    const added = this.#addedOptions(request)
    const named = this.#withModel(model ?? '')
    if (added === undefined || named === undefined) return undefined
    if (added === '') return named
    const start = named.indexOf(OPENING_BRACE) + 1
    return Buffer.concat([named.subarray(0, start), Buffer.from(added), named.subarray(start)])
  }

  /** Whether a request has the same members as this, but for the two that can be put into the bytes. */
  #isOrigin(request: JsonObject): boolean {
    let count = 0
    for (const name in request) {
      count += 1
      if (request[name] !== own(this.#value, name) && name !== 'model' && name !== 'stream_options')
        return false
    }
    let had = 0
    for (const name in this.#value) {
      had += 1
      if (!Object.hasOwn(request, name)) return false
    }
    return had > 0 && count >= had
  }

  /** The member to put in front of all others; empty for none. */
  #addedOptions(request: JsonObject): string | undefined {
    const options = own(request, 'stream_options')
    if (options === own(this.#value, 'stream_options')) return ''
    // A second one would be another's to choose from.
    return this.#bytes.includes('"stream_options"')
      ? undefined
      : `"stream_options":${JSON.stringify(options)},`
  }

  /** The bytes with this model. */
  #withModel(model: string): Buffer | undefined {
    const bytes = this.#bytes
    if (own(this.#value, 'model') === model) return bytes
    const from = bytes.indexOf(MODEL) + MODEL.length
    const between = BEFORE_TEXT.exec(bytes.toString('latin1', from, from + MAX_BEFORE_TEXT))
    if (between === null) return undefined
    const start = from + between[0].length - 1
    const end = bytes.indexOf(QUOTE, start + 1) + 1
    const backslash = bytes.indexOf(BACKSLASH, start)
    if (backslash !== -1 && backslash < end) return undefined
    return Buffer.concat([bytes.subarray(0, start), Buffer.from(JSON.stringify(model)), bytes.subarray(end)])
  }
}

function hasEscapedLetters(text: string): boolean {
  return text.includes(ESCAPE) && ESCAPED_LETTER.test(text)
}

function hasOne(text: string, name: string): boolean {
  const place = text.indexOf(name)
  return place !== -1 && text.indexOf(name, place + name.length) === -1
}
