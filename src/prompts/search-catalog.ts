import type { Snapshot } from '../registry/snapshot.js'
import { templateFields } from '../registry/template-fields.js'
import type { ReadonlyStatic } from '../schema/readonly-static.js'
import type { SearchAnswer } from '../schema/search-api.js'
import { editDistance } from '../util/errors/near-names.js'
import { type JsonValue, stringifyJson } from '../util/json/json.js'
import { createSlicer, type Slicer } from '../util/slices/pause.js'

/** What was found, and by which words. */
export type SearchOutcome = ReadonlyStatic<typeof SearchAnswer>
/** A place in a text of the catalog that has the words that were looked for. */
export type SearchResult = SearchOutcome['items'][number]

/** Characters that one search reads. */
const MAX_READ = 32 * 1024 * 1024
/** Of a longer text the beginning is searched. */
const MAX_TEXT = 256 * 1024
/** Further words do not count. */
const MAX_WORDS = 8
/** Different words of the catalog that a mistyped one is compared with. */
const MAX_VOCABULARY = 50_000
/** Shorter words have too many neighbours. */
const MIN_MISTYPED = 4
/** From this length on, in letters, a word may have two wrong letters. */
const LONG_WORD = 8
/** Longer words are not compared letter by letter. */
const MAX_COMPARED = 40
/** Characters of a line before and behind what was found. */
const AROUND = 60

const WORD = /[\p{L}\p{N}]+/gu

interface Text {
  readonly kind: SearchResult['kind']
  readonly id: string
  readonly text: string
}

/**
 * Searches the texts of a catalog for all words of a query, in slices. If no text has a word, the words nearest to it
 * are searched instead.
 */
export async function searchCatalog(
  snapshot: Snapshot,
  query: string,
  limit: number,
): Promise<SearchOutcome> {
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, MAX_WORDS)
  const slicer = createSlicer()
  const exact = await scan(
    snapshot,
    words.map((word) => [word]),
    limit,
    slicer,
  )
  if (exact.items.length > 0 || words.length === 0) return { ...exact, words }
  const vocabulary = await vocabularyOf(snapshot, slicer)
  const meant = words.map((word) => neighbours(word, vocabulary))
  if (meant.some((each) => each.length === 0)) return { ...exact, words }
  return { ...(await scan(snapshot, meant, limit, slicer)), words: meant.flat() }
}

/** Texts that have one of each of these words, whose letters are small. */
async function scan(
  snapshot: Snapshot,
  wanted: readonly (readonly string[])[],
  limit: number,
  slicer: Slicer,
): Promise<Pick<SearchOutcome, 'items' | 'complete'>> {
  const items: SearchResult[] = []
  let read = 0
  for (const { kind, id, text } of textsOf(snapshot)) {
    const turn = slicer.turn()
    if (turn !== undefined) await turn
    if (items.length === limit) return { items, complete: true }
    read += text.length
    if (read > MAX_READ) return { items, complete: false }
    const lowered = text.toLowerCase()
    const places = wanted.map((words) => firstPlace(lowered, words))
    const [first] = places
    if (first === undefined || places.includes(-1)) continue
    items.push({ kind, id, ...lineAt(text, first) })
  }
  return { items, complete: true }
}

function firstPlace(text: string, words: readonly string[]): number {
  const places = words.map((word) => text.indexOf(word)).filter((place) => place >= 0)
  return places.length === 0 ? -1 : Math.min(...places)
}

function* textsOf({ prompts, environs, tools, agents }: Snapshot): Generator<Text> {
  for (const [id, { definition }] of prompts)
    yield { kind: 'prompt', id, text: joined(templateFields(definition).map(({ text }) => text)) }
  for (const [id, { value }] of environs) yield { kind: 'environ', id, text: joined([textOf(value)]) }
  for (const [id, { definition }] of tools) yield { kind: 'tool', id, text: joined([definition.description]) }
  for (const [id, { definition }] of agents)
    yield { kind: 'agent', id, text: joined([definition.description, definition.instructions]) }
}

function joined(texts: readonly (string | undefined)[]): string {
  return texts
    .filter((text) => text !== undefined)
    .join('\n')
    .slice(0, MAX_TEXT)
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}

function lineAt(text: string, place: number): Pick<SearchResult, 'line' | 'text'> {
  const before = text.slice(0, place)
  const start = before.lastIndexOf('\n') + 1
  const end = text.indexOf('\n', place)
  const from = Math.max(start, place - AROUND)
  const to = Math.min(end === -1 ? text.length : end, place + 2 * AROUND)
  const lead = from > start ? '…' : ''
  return { line: before.split('\n').length, text: (lead + text.slice(from, to)).trim() }
}

/** The different words of the catalog. */
async function vocabularyOf(snapshot: Snapshot, slicer: Slicer): Promise<ReadonlySet<string>> {
  const words = new Set<string>()
  let read = 0
  for (const { text } of textsOf(snapshot)) {
    const turn = slicer.turn()
    if (turn !== undefined) await turn
    read += text.length
    for (const [word] of text.toLowerCase().matchAll(WORD)) words.add(word)
    if (words.size >= MAX_VOCABULARY || read > MAX_READ) break
  }
  return words
}

/** The word itself where the catalog has it, else those that are it but for a letter or two. */
function neighbours(word: string, vocabulary: ReadonlySet<string>): readonly string[] {
  const near: string[] = []
  const most = word.length >= LONG_WORD ? 2 : 1
  for (const each of vocabulary) {
    if (each.includes(word)) return [word]
    const isComparable =
      word.length >= MIN_MISTYPED &&
      word.length <= MAX_COMPARED &&
      Math.abs(each.length - word.length) <= most
    if (isComparable && editDistance(word, each) <= most) near.push(each)
  }
  return near
}
