import type { Kind, Summary } from '../api/shapes.js'

/** A row of a list. */
export interface Entry extends Summary {
  readonly kind: Kind
  readonly broken?: string
  /** Of its text, where that was found. */
  readonly line?: number
}

/** Makes a row of what the service lists. */
export function toEntry(kind: Kind, summary: Summary): Entry {
  return { ...summary, kind }
}

/** Finds rows by words. */
export type Search = (entries: readonly Entry[], query: string) => readonly Entry[]

/** Makes a search. It reads a row once, at its first search: a list is in sight before anybody looks for something. */
export function createSearch(): Search {
  const texts = new WeakMap<Entry, string>()
  const textOf = (entry: Entry) => {
    const text = texts.get(entry) ?? searchText(entry)
    texts.set(entry, text)
    return text
  }
  return (entries, query) => search(entries, query, textOf)
}

/** What a row is found by, in small letters: its id, name, function and description. */
function searchText({ id, name, description, function: call }: Entry): string {
  const texts = [id, name, call, description].filter((each) => typeof each === 'string')
  return texts.join('\n').toLowerCase()
}

/**
 * The entries that have every word, those whose id is nearest to the first one first; else in the order they came. Where
 * none has, those that have them with a typing mistake; else those whose ids have their letters.
 */
function search(
  entries: readonly Entry[],
  query: string,
  textOf: (entry: Entry) => string,
): readonly Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const [first] = words
  if (first === undefined) return entries
  const ranks: Entry[][] = [[], [], [], []]
  for (const entry of entries) {
    const text = textOf(entry)
    if (words.every((word) => text.includes(word))) ranks[rankOf(entry, text, first)]?.push(entry)
  }
  const found = ranks.flat()
  if (found.length > 0) return found
  const nearly = entries.filter((entry) => words.every((word) => isNearly(textOf(entry), word)))
  return nearly.length > 0 ? nearly : inLetters(entries, words)
}

/** Fewer letters are in every id. */
const MIN_LETTERS = 3

/** The entries whose ids have the letters of every word in their order, those with the fewest others first: `crv` is in `code_review`. */
function inLetters(entries: readonly Entry[], words: readonly string[]): readonly Entry[] {
  if (words.some(({ length }) => length < MIN_LETTERS)) return []
  return entries
    .filter(({ id }) => words.every((word) => hasLetters(id.toLowerCase(), word)))
    .toSorted((one, other) => one.id.length - other.id.length)
}

function hasLetters(text: string, word: string): boolean {
  let at = 0
  for (const letter of word) {
    const place = text.indexOf(letter, at)
    if (place === -1) return false
    at = place + letter.length
  }
  return true
}

/** Those with an id nearest to this one, by the pairs of letters that both have. */
export function nearest(entries: readonly Entry[], id: string): readonly Entry[] {
  const wanted = pairsOf(id)
  return entries
    .map((entry) => ({ entry, likeness: likeness(wanted, pairsOf(entry.id)) }))
    .filter((each) => each.likeness >= MIN_LIKENESS)
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, MAX_NEAR)
    .map(({ entry }) => entry)
}

const MIN_LIKENESS = 0.35
const MAX_NEAR = 5
/** Shorter words have too many neighbours. */
const MIN_MISTAKEN = 4

function pairsOf(id: string): ReadonlySet<string> {
  const text = id.toLowerCase()
  return new Set(Array.from({ length: text.length - 1 }, (_, index) => text.slice(index, index + 2)))
}

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const both = [...one].filter((pair) => other.has(pair)).length
  return (2 * both) / (one.size + other.size)
}

/** True where a part of the text is the word, or is it but for one letter: left out, added, changed, or two exchanged. */
function isNearly(text: string, word: string): boolean {
  if (text.includes(word)) return true
  if (word.length < MIN_MISTAKEN) return false
  const half = word.length >> 1
  const [head, tail] = [word.slice(0, half), word.slice(half)]
  for (let at = text.indexOf(head); at !== -1; at = text.indexOf(head, at + 1)) {
    if (startsNearly(text.slice(at + half, at + word.length + 1), tail)) return true
  }
  for (let at = text.indexOf(tail); at !== -1; at = text.indexOf(tail, at + 1)) {
    const before = text.slice(Math.max(0, at - half - 1), at)
    if (startsNearly([...before].reverse().join(''), [...head].reverse().join(''))) return true
  }
  return false
}

/** True where the text starts with the word but for one mistake. */
function startsNearly(text: string, word: string): boolean {
  let same = 0
  while (same < word.length && text[same] === word[same]) same += 1
  if (same === word.length) return true
  const [rest, left] = [text.slice(same), word.slice(same)]
  return (
    rest.slice(1).startsWith(left.slice(1)) ||
    rest.slice(1).startsWith(left) ||
    rest.startsWith(left.slice(1)) ||
    (rest[0] === left[1] && rest[1] === left[0] && rest.slice(2).startsWith(left.slice(2)))
  )
}

/** How near a match is: a whole part of the id, its beginning, somewhere in it, or elsewhere. */
function rankOf({ id }: Entry, text: string, word: string): number {
  const place = text.indexOf(word)
  if (place >= id.length) return 3
  if (text.slice(0, id.length).split('.').includes(word)) return 0
  return place === 0 ? 1 : 2
}
