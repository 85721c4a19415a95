import type { Kind, Summary } from '../api/shapes.js'

/** A row with the text it is found by. */
export interface Entry extends Summary {
  readonly kind: Kind
  readonly broken?: string
  /** In small letters. */
  readonly text: string
}

/** Makes a row findable by its id, name, function and description. */
export function toEntry(kind: Kind, summary: Summary): Entry {
  const { id, name, description, function: call } = summary
  const text = [id, name, call, description].filter((each) => typeof each === 'string').join('\n')
  return { ...summary, kind, text: text.toLowerCase() }
}

/** The entries that have every word, those whose id is nearest to the first one first; else in the order they came. */
export function search(entries: readonly Entry[], query: string): readonly Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const [first] = words
  if (first === undefined) return entries
  const ranks: Entry[][] = [[], [], [], []]
  for (const entry of entries) {
    if (words.every((word) => entry.text.includes(word))) ranks[rankOf(entry, first)]?.push(entry)
  }
  return ranks.flat()
}

/** How near a match is: a whole part of the id, its beginning, somewhere in it, or elsewhere. */
function rankOf({ text, id }: Entry, word: string): number {
  const place = text.indexOf(word)
  if (place >= id.length) return 3
  if (text.slice(0, id.length).split('.').includes(word)) return 0
  return place === 0 ? 1 : 2
}
