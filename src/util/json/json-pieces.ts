import { GatheredBytes } from '../gathered-bytes.js'
import { createSlicer, type Slicer } from '../slices/pause.js'
import { endOfCharacter } from '../text/end-of-character.js'
import { isJsonObject, type JsonObject, stringifyJson } from './json.js'
import { sourceOfView } from './map-view.js'
import { knownCount, namesOf } from './names-of.js'

/** Characters that go out together. */
const PIECE = 32_768
/** Parts between two looks at the clock. */
const STRETCH = 16

/** What is written in one go, in characters and eight for each value. */
const PART = 512
const VALUE_WEIGHT = 8
/** Characters of small values beside each other that are one part. */
const PART_LENGTH = 1_024
/** Characters of a long text that are one part. */
const TEXT_PART = 16_384

/** What is left of room for a value; it is read until no room is left. Views are never written in one go. */
function roomAfter(room: number, value: unknown): number {
  const left = room - VALUE_WEIGHT
  if (left <= 0) return 0
  if (typeof value === 'string') return left - value.length
  if (Array.isArray(value)) return value.length > left ? 0 : value.reduce(roomAfter, left)
  if (!isJsonObject(value)) return left
  if (sourceOfView(value) !== undefined || (knownCount(value) ?? 0) > left) return 0
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
export async function* jsonPieces(value: unknown): AsyncGenerator<string> {
  const slicer = createSlicer()
  // Joined once: a text that is added to again and again is a tree of its parts, which every minor GC copies.
  let parts: string[] = []
  let length = 0
  let count = 0
  for (const part of partsOf(value, slicer)) {
    if (typeof part === 'string') {
      parts.push(part)
      length += part.length
    } else await part
    count += 1
    // The time goes on after a piece: its reader may ask for the next one at once.
    const turn = count % STRETCH === 0 || length >= PIECE ? slicer.turn() : undefined
    if (turn !== undefined) await turn
    if (length < PIECE) continue
    yield parts.join('')
    parts = []
    length = 0
  }
  yield parts.join('')
}

/** A value as one JSON text, which is written giving way to others. */
export async function writtenJson(value: unknown): Promise<string> {
  let text = ''
  for await (const piece of jsonPieces(value)) text += piece
  return text
}

/** A value as JSON in UTF-8, which is written giving way to others. */
export async function jsonBytes(value: unknown): Promise<GatheredBytes> {
  const bytes = new GatheredBytes()
  for await (const piece of jsonPieces(value)) bytes.add(Buffer.from(piece))
  return bytes
}

function* partsOf(value: unknown, slicer: Slicer): Generator<Part> {
  if (isSmall(value)) yield stringifyJson(value)
  else if (Array.isArray(value)) yield* listParts(value, slicer)
  else if (isJsonObject(value)) yield* objectParts(value, slicer)
  else if (typeof value === 'string') yield* textParts(value)
  else yield stringifyJson(value)
}

function isSmall(value: unknown): boolean {
  return roomAfter(PART, value) > 0
}

function* listParts(list: readonly unknown[], slicer: Slicer): Generator<Part> {
  let text = '['
  let separator = ''
  for (const item of list) {
    text = yield* member(text + separator, item ?? null, slicer)
    separator = ','
  }
  yield `${text}]`
}

function* objectParts(object: JsonObject, slicer: Slicer): Generator<Part> {
  const view = sourceOfView(object)
  const preparing = view?.prepare?.(slicer)
  if (preparing !== undefined) yield preparing
  let text = '{'
  let separator = ''
  for (const name of view?.names() ?? namesOf(object)) {
    const value = view === undefined ? object[name] : view.get(name)
    if (value === undefined) continue
    text = yield* member(`${text}${separator}${JSON.stringify(name)}:`, value, slicer)
    separator = ','
  }
  yield `${text}}`
}

/** A member after this text. @returns what was not written yet: small members beside each other are one part */
function* member(before: string, value: unknown, slicer: Slicer): Generator<Part, string> {
  if (!isSmall(value)) {
    yield before
    yield* partsOf(value, slicer)
    return ''
  }
  const text = before + stringifyJson(value)
  if (text.length < PART_LENGTH) return text
  yield text
  return ''
}

function* textParts(text: string): Generator<string> {
  yield '"'
  for (let start = 0; start < text.length; ) {
    const end = endOfCharacter(text, start + TEXT_PART)
    yield JSON.stringify(text.slice(start, end)).slice(1, -1)
    start = end
  }
  yield '"'
}
