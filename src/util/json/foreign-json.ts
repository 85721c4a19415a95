import { createSlicer, inSlices, pause, type Slicer } from '../slices/pause.js'
import { parseExactly } from './exact-json.js'
import { type JsonValue, REMARKABLE_NUMBER } from './json.js'
import { type JsonBounds, JsonScanner } from './json-scanner.js'
import { parseInPieces } from './parse-in-pieces.js'

/** Longer texts are gone through in pieces, between which the event loop serves others. */
const PIECE_CHARACTERS = 65_536

/** What the answer of a tool may hold. */
export const TOOL_ANSWER_BOUNDS: JsonBounds = { maxValues: 100_000, maxDepth: 200 }
/** What the answer of a model may hold: logarithms of the probabilities of many tokens, for instance. */
export const MODEL_ANSWER_BOUNDS: JsonBounds = { maxValues: 1_000_000, maxDepth: 200 }

/** What one event of a model's stream may hold: it is read in one piece. */
const EVENT_BOUNDS: JsonBounds = { maxValues: 50_000, maxDepth: 200 }
/** Shorter events are read in no time, whatever they hold. */
const SHORT_EVENT = 8_192

/**
 * Looks at the JSON of one event before it is parsed.
 *
 * @throws JsonBoundError when it holds more than an event may
 */
export function boundEvent(text: string): string {
  if (text.length <= SHORT_EVENT) return text
  const scanner = new JsonScanner(text, EVENT_BOUNDS)
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
  return text.length <= Math.min(maxValues, maxDepth) && !REMARKABLE_NUMBER.test(text)
}

async function readInPieces(text: string, scanner: JsonScanner, doSlice: DoSlice): Promise<JsonValue> {
  const slicer: Slicer = createSlicer()
  while (!scanner.isDone) {
    doSlice(() => scanner.advance(PIECE_CHARACTERS))
    await slicer.turn()
  }
  // The parser has a turn of its own, and so has whoever goes on with what it made.
  await pause()
  slicer.begin()
  const value = await inSlices(parseInPieces(text, scanner), slicer, doSlice)
  await pause()
  return value
}
