import { clipped } from './clipped.js'

/** Entries of a list of details. */
const MAX_ROWS = 100
/** Characters of a text among the details. */
const MAX_TEXT = 4_000

/**
 * The details of an error as an answer shows them, which must not be as large as a body: the first rows of a list and how
 * many more there are, and the beginnings of long texts.
 *
 * @param omittedCount how many rows there are beyond those given
 */
export function clippedDetails(details: unknown, omittedCount = 0): unknown {
  if (!Array.isArray(details)) return withShortTexts(details)
  const shown = details.slice(0, MAX_ROWS).map(withShortTexts)
  const more = details.length - shown.length + omittedCount
  return more === 0 ? shown : [...shown, { message: `and ${more} more` }]
}

function withShortTexts(value: unknown): unknown {
  if (typeof value === 'string') return clipped(value, MAX_TEXT)
  if (Array.isArray(value)) return value.map(withShortTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withShortTexts(each)]))
}
