import { namesOf } from '../../util/json/names-of.js'
import { sortStrings } from './byte-string.js'

/** The names of a map with few of them, in the order of Go. */
interface Members {
  readonly names: readonly string[]
  /** The text before the value of each: the name with a colon, and a blank before all but the first. */
  readonly labels: readonly string[]
}

/** Members of a map, with its names in the order that the object has them. */
interface KnownMembers extends Members {
  readonly given: readonly string[]
}

const MAX_NAMES = 16
/** Longer names are not remembered. */
const MAX_CHARACTERS = 512
const PLACES = 64

/**
 * Members of maps that were printed: most maps of a list have the same names, and to compare these takes a third of the time
 * that sorting them takes (`bench:template`, objects). A pure memo, of which each place keeps the latest.
 */
const REMEMBERED: (KnownMembers | undefined)[] = Array.from({ length: PLACES })

/** The members of a map as Go prints them; undefined for a map with many. */
export function membersOf(entries: object): Members | undefined {
  const given = namesOf(entries)
  if (given.length > MAX_NAMES) return undefined
  const place = placeOf(given)
  const known = REMEMBERED[place]
  if (known !== undefined && isSame(known.given, given)) return known
  const names = sortStrings([...given])
  const labels = names.map((name, i) => (i === 0 ? `${name}:` : ` ${name}:`))
  const members = { given, names, labels }
  if (lengthOf(given) <= MAX_CHARACTERS) REMEMBERED[place] = members
  return members
}

function placeOf(names: readonly string[]): number {
  const first = names[0]?.length ?? 0
  const last = names[names.length - 1]?.length ?? 0
  return (names.length + 5 * first + 17 * last) % PLACES
}

function lengthOf(names: readonly string[]): number {
  let length = 0
  for (let i = 0; i < names.length; i++) length += names[i]?.length ?? 0
  return length
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false
  return true
}
