import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from '../util/json/json.js'
import { createSlicer, type Slicer } from '../util/slices/pause.js'
import { sourceOfView } from './map-view.js'

/** Characters that go out together. */
const PIECE = 32_768
/** Parts between two looks at the clock. */
const STRETCH = 64

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
  if (Array.isArray(value)) yield* listParts(value, slicer)
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
