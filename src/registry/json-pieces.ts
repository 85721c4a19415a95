import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from '../util/json/json.js'
import { createSlicer, type Slicer } from '../util/slices/pause.js'
import { sourceOfView } from './map-view.js'

/** Characters that go out together. */
const PIECE = 32_768
/** Parts between two looks at the clock. */
const STRETCH = 64

/** What is written in one go, in characters and eight for each value. */
const PART = 512
const VALUE_WEIGHT = 8

/** What is left of room for a value; it is read until no room is left. Views are never written in one go. */
function roomAfter(room: number, value: JsonValue): number {
  const left = room - VALUE_WEIGHT
  if (left <= 0) return 0
  if (typeof value === 'string') return left - value.length
  if (Array.isArray(value)) return value.length > left ? 0 : value.reduce(roomAfter, left)
  if (!isJsonObject(value)) return left
  if (sourceOfView(value) !== undefined) return 0
  let rest = left
  for (const name in value) {
    if (rest <= 0) break
    rest = roomAfter(rest - name.length, value[name] ?? null)
  }
  return rest
}

/** A text, or something to wait for before the next one. */
type Part = string | Promise<void>

/**
 * Serializes a value as JSON in pieces. Views over large parts of the catalog are read entry by entry, with pauses for
 * other work, and the consumer's pace limits how much text is held.
 */
export async function* jsonPieces(value: JsonValue): AsyncGenerator<string> {
  const slicer = createSlicer()
  let text = ''
  let count = 0
  for (const part of partsOf(value, slicer)) {
    if (typeof part === 'string') text += part
    else await part
    count += 1
    const turn = count % STRETCH === 0 ? slicer.turn() : undefined
    if (turn !== undefined) await turn
    if (text.length < PIECE) continue
    yield text
    text = ''
    slicer.begin()
  }
  yield text
}

function* partsOf(value: JsonValue, slicer: Slicer): Generator<Part> {
  if (roomAfter(PART, value) > 0) yield stringifyJson(value)
  else if (Array.isArray(value)) yield* listParts(value, slicer)
  else if (isJsonObject(value)) yield* objectParts(value, slicer)
  else yield stringifyJson(value)
}

function* listParts(list: readonly JsonValue[], slicer: Slicer): Generator<Part> {
  yield '['
  for (const [index, item] of list.entries()) {
    if (index > 0) yield ','
    yield* partsOf(item, slicer)
  }
  yield ']'
}

function* objectParts(object: JsonObject, slicer: Slicer): Generator<Part> {
  const view = sourceOfView(object)
  const preparing = view?.prepare?.(slicer)
  if (preparing !== undefined) yield preparing
  let separator = '{'
  for (const name of view?.names() ?? Object.keys(object)) {
    const value = view === undefined ? object[name] : view.get(name)
    if (value === undefined) continue
    yield `${separator}${JSON.stringify(name)}:`
    yield* partsOf(value, slicer)
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}
