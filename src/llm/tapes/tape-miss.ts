import { ServiceError } from '../../errors.js'
import { canonicalJson } from '../../util/json/canonical-json.js'
import { type JsonObject, parseJson, stringifyJson } from '../../util/json/json.js'
import { changedLines } from '../../util/text/changed-lines.js'
import type { Endpoint } from '../model.js'
import type { Tape } from './tape.js'

const WORDS = /\s+|[\p{L}\p{N}_]+|./gsu
/** More words that differ are not listed. */
const MAX_WORDS = 60

/**
 * The error for a request without a tape: the nearest tape of the same endpoint, and the words that differ.
 *
 * @param tapes by the names of their files
 */
export function tapeMiss(
  endpoint: Endpoint,
  request: JsonObject,
  tapes: readonly (readonly [name: string, tape: Tape])[],
): ServiceError {
  const asked = wordsOf(request)
  const [nearest] = tapes
    .filter(([, tape]) => tape.endpoint === endpoint)
    .map(([name, tape]) => ({ name, words: wordsOf(tape.request) }))
    .map((tape) => ({ ...tape, shared: sharedWords(tape.words, asked) }))
    .sort((one, other) => other.shared - one.shared)
  const hint = 'record it: tapes: { …: { mode: record } }, or test --record'
  if (nearest === undefined)
    return new ServiceError(
      'tape_miss',
      `No tape has this request, and the folder has no other of its endpoint; ${hint}`,
    )
  const diff = changedLines(nearest.words, asked).filter((line) => line.trim().length > 1)
  return new ServiceError('tape_miss', `No tape has this request. The nearest is ${nearest.name}; ${hint}`, {
    details: {
      nearest: nearest.name,
      diff: diff.slice(0, MAX_WORDS),
      more: Math.max(0, diff.length - MAX_WORDS),
    },
  })
}

/** Words of the request's canonical JSON, in lines for people. */
function wordsOf(request: JsonObject): readonly string[] {
  return stringifyJson(parseJson(canonicalJson(request)), 1).match(WORDS) ?? []
}

/** The part of words that two texts share (Sørensen–Dice), from 0 to 1. */
function sharedWords(one: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const word of one) counts.set(word, (counts.get(word) ?? 0) + 1)
  let shared = 0
  for (const word of other) {
    const left = counts.get(word) ?? 0
    if (left > 0) shared += 1
    counts.set(word, left - 1)
  }
  return (2 * shared) / (one.length + other.length)
}
