import { at } from '../util/at.js'
import { type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { isJsonList } from '../util/json/json-fields.js'
import { piecesOf } from './words.js'

/** Numbers of a vector. */
const DIMENSIONS = 16
/** FNV-1a, 32 bits. */
const OFFSET = 2_166_136_261
const PRIME = 16_777_619

/**
 * Embeddings without a model: the same text has the same vector everywhere, and texts with the same words have similar ones.
 * For trying a client without a provider; they mean nothing.
 */
export function echoEmbeddings(request: JsonObject): JsonObject {
  const inputs = inputsOf(own(request, 'input') ?? '')
  const data = inputs.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
  const tokens = inputs.reduce((sum, text) => sum + [...piecesOf(text)].length, 0)
  return {
    object: 'list',
    data,
    model: own(request, 'model') ?? '',
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}

/** A list of numbers is one input of tokens. */
function inputsOf(input: JsonValue): readonly string[] {
  if (typeof input === 'string') return [input]
  if (!isJsonList(input)) return [JSON.stringify(input)]
  const isTokens = input.every((each) => typeof each === 'number')
  return isTokens ? [input.join(' ')] : input.map((each) => (typeof each === 'string' ? each : String(each)))
}

function vectorOf(text: string): readonly number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0)
  for (const word of piecesOf(text)) {
    const hash = hashOf(word.trim().toLowerCase())
    const place = hash % DIMENSIONS
    vector[place] = at(vector, place) + ((hash & 0x8000_0000) === 0 ? 1 : -1)
  }
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((each) => each / length)
}

function hashOf(word: string): number {
  let hash = OFFSET
  for (let place = 0; place < word.length; place += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(place), PRIME)
  }
  return hash >>> 0
}
