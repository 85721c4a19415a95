import { namesOf } from '../../util/json/names-of.js'
import { compareStrings, sortStrings } from '../format/byte-string.js'
import { formatArgument } from '../format/format-value.js'
import { elementOf, elementsOf, entriesOf, kindOf } from '../format/kind.js'
import { ownText } from '../format/prints-as.js'
import { countBelow } from '../format/size.js'
import { outputLimit } from '../limit-errors.js'
import type { Site } from '../site.js'
import type { Value } from '../value.js'
import { escapeJson } from './escape-json.js'
import { type CostKeeper, KnownCosts } from './known-costs.js'
import type { Output } from './output.js'
import { formatPrinted, type PrintingRun } from './print.js'
import type { Steps } from './steps.js'

/** What prints within a time slice, in elements and members. */
const MANY = 8_000
/** Pieces of a large value between two looks at the clock. */
const PIECES_PER_LOOK = 1024

/** Whether a part of a value is printed in pieces too. */
type IsLarge = (part: Value) => boolean

/** A run that prints a large value. */
interface SlowRun extends PrintingRun {
  readonly at: Site
  readonly budget: CostKeeper & { readonly maxOutput: number }
  readonly output: Output
  pause(text: string, site: Site): Steps<string>
}

/** The text of a value that may be large, made in time slices, after so much other output. */
export function* printInSlices(run: SlowRun, value: Value, before: number): Steps<string> {
  if (!isLarge(value, run.budget)) return formatPrinted(run, value)
  const { output } = run
  let text = ''
  let pieces = ''
  let count = 0
  const isLargePart = (part: Value) => isLarge(part, run.budget)
  const made = run.rules.pieces?.(value, isLargePart) ?? printedPieces(value, isLargePart)
  for (const piece of made) {
    pieces += piece
    if (++count % PIECES_PER_LOOK !== 0 && piece !== '') continue
    text += inOnePiece(pieces, output)
    pieces = ''
    const { maxOutput } = run.budget
    if (output.flushed + before + text.length > maxOutput) throw outputLimit(run.at, maxOutput)
    yield* run.pause('', run.at)
  }
  return text + inOnePiece(pieces, output)
}

/** Text as it is printed, joined: a chain of a million pieces would take long to join at the end. */
function inOnePiece(pieces: string, output: Output): string {
  const text = output.json ? escapeJson(pieces, output) : pieces
  text.charCodeAt(0)
  return text
}

/** Whether a list or map has, at any depth, enough elements that printing it would block the event loop. */
export function isLarge(value: Value, keeper: CostKeeper): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (keeper.knownCosts?.isLarge(value) !== true) {
    if (countBelow(value, MANY) > 0) return false
    keeper.knownCosts ??= new KnownCosts()
    keeper.knownCosts.addLarge(value)
  }
  return ownText(value) === undefined
}

/** The pieces of a large value's text as Go prints it, each of them quick to make; an empty one after what was not. */
export function* printedPieces(value: Value, isLargePart: IsLarge): Generator<string> {
  if (kindOf(value) === 'slice') yield* listPieces(elementsOf(value), isLargePart)
  else yield* mapPieces(value, isLargePart)
}

function* elementPieces(value: Value, isLargePart: IsLarge): Generator<string> {
  if (!isLargePart(value)) {
    yield formatArgument(value)
    return
  }
  yield ''
  yield* printedPieces(value, isLargePart)
}

function* listPieces(items: readonly Value[], isLargePart: IsLarge): Generator<string> {
  yield '['
  for (let i = 0; i < items.length; i++) {
    if (i > 0) yield ' '
    yield* elementPieces(items[i], isLargePart)
  }
  yield ']'
}

function* mapPieces(map: Value, isLargePart: IsLarge): Generator<string> {
  const entries = entriesOf(map)
  yield 'map['
  yield ''
  let separator = ''
  const keys = namesOf(entries)
  yield ''
  for (const key of yield* sortedInPieces(keys)) {
    yield `${separator}${key}:`
    yield* elementPieces(elementOf(map, entries[key]), isLargePart)
    separator = ' '
  }
  yield ']'
}

/** Keys that are sorted at once. */
const SORTED_AT_ONCE = 4_000

/** The keys in their order; an empty piece after what took a few milliseconds. */
function* sortedInPieces(keys: readonly string[]): Generator<string, readonly string[]> {
  let runs: (readonly string[])[] = []
  for (let start = 0; start < keys.length; start += SORTED_AT_ONCE) {
    runs.push(sortStrings(keys.slice(start, start + SORTED_AT_ONCE)))
    yield ''
  }
  while (runs.length > 1) {
    const merged: (readonly string[])[] = []
    for (let i = 0; i < runs.length; i += 2)
      merged.push(yield* mergedInPieces(runs[i] ?? [], runs[i + 1] ?? []))
    runs = merged
  }
  return runs[0] ?? []
}

function* mergedInPieces(
  left: readonly string[],
  right: readonly string[],
): Generator<string, readonly string[]> {
  const merged: string[] = []
  let taken = 0
  for (const text of left) {
    for (let next = right[taken]; next !== undefined && compareStrings(next, text) < 0; next = right[taken]) {
      merged.push(next)
      taken++
    }
    merged.push(text)
    if (merged.length % SORTED_AT_ONCE === 0) yield ''
  }
  return merged.concat(right.slice(taken))
}
