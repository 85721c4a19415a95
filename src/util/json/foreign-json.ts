import { at } from '../at.js'
import { MODEL_EVENT_BOUNDS } from '../limits.js'
import { named } from '../named.js'
import { createSlicer, pause, room, type Slicer } from '../slices/pause.js'
import { runSliced } from '../slices/sliced.js'
import { parseExactly } from './exact-json.js'
import { hasRemarkableNumber, isJsonObject, type JsonValue } from './json.js'
import { isJsonList } from './json-fields.js'
import { type JsonBounds, JsonScanner } from './json-scanner.js'
import { parseInPieces } from './parse-in-pieces.js'

/** Longer texts are gone through in pieces, between which the event loop serves others. */
const PIECE_CHARACTERS = 65_536

/** Shorter events are read in no time, whatever they hold. */
const SHORT_EVENT = 8_192

/**
 * Looks at the JSON of one event before it is parsed.
 *
 * @throws JsonBoundError when it holds more than an event may
 */
export function boundEvent(text: string): string {
  if (text.length <= SHORT_EVENT) return text
  const scanner = new JsonScanner(text, MODEL_EVENT_BOUNDS)
  // What is far over a bound is not gone through to its end.
  while (!scanner.isDone) scanner.advance(PIECE_CHARACTERS)
  return text
}

/**
 * Reads JSON that somebody else wrote: within bounds, integers beyond ±(2^53 − 1) as bigint. Short texts are read at
 * once, long ones are gone through in pieces before they are parsed, in pieces too where they hold much.
 *
 * @param doSlice does what is done at a stretch. Default: it is called
 * @throws JsonBoundError, SyntaxError; or rejects with them
 */
export function readForeignJson(
  text: string,
  bounds: JsonBounds,
  doSlice: DoSlice = (slice) => slice(),
): JsonValue | Promise<JsonValue> {
  if (isHarmless(text, bounds)) return JSON.parse(text)
  const value = text.length > PIECE_CHARACTERS ? undefined : doSlice(() => parsedWithin(text, bounds))
  if (value !== undefined) return value
  const scanner = new JsonScanner(text, bounds)
  if (text.length > PIECE_CHARACTERS) return readInPieces(text, scanner, doSlice)
  return doSlice(() => {
    scanner.advance(text.length)
    return parseExactly(text, scanner.largeIntegers)
  })
}

/** Does one piece of work, which nobody else does meanwhile. */
type DoSlice = <Done>(slice: () => Done) => Done

/** Too short to hold too much, and without a number worth a look. */
function isHarmless(text: string, { maxValues, maxDepth }: JsonBounds): boolean {
  return text.length <= Math.min(maxValues, maxDepth) && !hasRemarkableNumber(text)
}

/**
 * A text of one piece is parsed first, and what came of it is looked at: most of a conversation is long texts, in which
 * there is nothing to count. Row `64 KB` of `npm run bench:chat`.
 *
 * @returns undefined where the text has to be gone through: to say what is wrong with it, or to keep its digits
 */
function parsedWithin(text: string, bounds: JsonBounds): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text)
    return countWithin(value, bounds.maxDepth, bounds.maxValues) < 0 ? undefined : value
  } catch {
    return undefined
  }
}

/**
 * How many more values there may be after this one; negative where it has too many, or levels, or a number whose digits
 * a double may not hold.
 */
function countWithin(value: JsonValue, levels: number, most: number): number {
  if (typeof value === 'number') return isExact(value) ? most - 1 : NONE
  if (!isJsonObject(value) && !isJsonList(value)) return most - 1
  if (levels === 0) return NONE
  let left = most - 1
  if (isJsonList(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1)
      left = countWithin(at(value, index), levels - 1, left)
    return left
  }
  for (const name in value) {
    left = countWithin(named(value, name), levels - 1, left - 1)
    if (left < 0) return left
  }
  return left
}

const NONE = Number.NEGATIVE_INFINITY

/** Whether the text of a number cannot have lost digits. Numbers that are infinite here are never exact. */
function isExact(value: number): boolean {
  return Number.isSafeInteger(value) || (!Number.isInteger(value) && Number.isFinite(value))
}

async function readInPieces(text: string, scanner: JsonScanner, doSlice: DoSlice): Promise<JsonValue> {
  const turn = room()
  if (turn !== undefined) await turn
  const slicer: Slicer = createSlicer()
  while (!scanner.isDone) {
    doSlice(() => scanner.advance(PIECE_CHARACTERS))
    await slicer.turn()
  }
  // The parser gets a tick of its own, and so does the code that processes the result.
  await pause()
  slicer.begin()
  const value = await runSliced(parseInPieces(text, scanner), slicer, doSlice)
  await pause()
  return value
}
