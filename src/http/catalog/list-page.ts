import type { Snapshot, SnapshotMap } from '../../registry/snapshot.js'
import type { ListQuery } from '../../schema/api.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { type JsonObject, own } from '../../util/json/json.js'
import { createSlicer } from '../../util/slices/pause.js'
import { runSliced } from '../../util/slices/sliced.js'
import { filterInPieces } from '../../util/slices/sort-in-pieces.js'
import { firstAfter } from '../../util/text/sorted-names.js'
import { type BrokenDocument, brokenDocuments } from '../answers/broken-documents.js'
import { showDiagnostic } from '../answers/shown-diagnostics.js'
import type { Entry, Shelf } from './shelf.js'

/** One page of a shelf. @throws ServiceError `invalid_request` for a foreign cursor */
export async function listPage<Item extends Entry>(
  shelf: Shelf<Item>,
  snapshot: Snapshot,
  query: ListQuery,
): Promise<object> {
  const broken = brokenDocuments(snapshot, shelf.kind)
  if (query.status === 'broken') return pageOfBroken(shelf, snapshot, query, broken)
  const items = shelf.items(snapshot)
  const ids = await matchingIds(shelf, items, query)
  const { shown, rest } = cut(ids, query)
  const fields = query.fields?.split(',')
  const rows = shown.flatMap((id) => {
    const item = items.get(id)
    return item === undefined ? [] : [chosen({ id, ...shelf.summary(item), revision: item.revision }, fields)]
  })
  return { items: rows, total: ids.length, broken: broken.length, ...rest }
}

/** The row itself, or its id and these fields of it. */
function chosen(row: JsonObject, fields: readonly string[] | undefined): JsonObject {
  if (fields === undefined) return row
  const named = fields.flatMap((name) => {
    const value = own(row, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries([['id', own(row, 'id') ?? null], ...named])
}

/** What has errors; an earlier version of it may be served. */
function pageOfBroken<Item extends Entry>(
  shelf: Shelf<Item>,
  snapshot: Snapshot,
  query: ListQuery,
  broken: readonly BrokenDocument[],
): object {
  const items = shelf.items(snapshot)
  const wanted = wordsOf(query.q)
  const byId = new Map(broken.map((each) => [each.id, each]))
  const ids = [...byId.keys()].filter((id) => (query.id ?? id) === id && hasWords(id.toLowerCase(), wanted))
  const { shown, rest } = cut(ids, query)
  const rows = shown.map((id) => {
    const { diagnostics = [], ...row } = byId.get(id) ?? {}
    const revision = items.get(id)?.revision ?? null
    return { ...row, diagnostics: diagnostics.map((each) => showDiagnostic(each)), revision }
  })
  return { items: rows, total: ids.length, broken: broken.length, ...rest }
}

/** The ids of one page, and what leads to the next one. */
function cut(
  ids: readonly string[],
  { cursor, limit }: ListQuery,
): { readonly shown: readonly string[]; readonly rest: { readonly next_cursor?: string } } {
  const after = cursor === undefined ? '' : fromCursor(cursor)
  const start = after === '' ? 0 : firstAfter(ids, after)
  const shown = ids.slice(start, start + limit)
  const last = shown.at(-1)
  const isMore = last !== undefined && last !== ids.at(-1)
  return { shown, rest: isMore ? { next_cursor: toCursor(last) } : {} }
}

/**
 * The ids of all that match, in order.
 *
 * @param isOwn only of what the catalog itself has, without what comes with the package
 */
export async function matchingIds<Item extends Entry>(
  shelf: Shelf<Item>,
  items: SnapshotMap<Item>,
  { id: only, supports, q }: Pick<ListQuery, 'id' | 'supports' | 'q'>,
  isOwn = false,
): Promise<readonly string[]> {
  const slicer = createSlicer()
  if (only === undefined) await items.prepareIds(slicer)
  const ids = only === undefined ? items.ids() : [only].filter((id) => items.get(id) !== undefined)
  if (supports === undefined && q === undefined && !isOwn) return ids
  const wanted = wordsOf(q)
  const passes = (id: string) => {
    const item = items.get(id)
    if (item === undefined) return false
    if (isOwn && 'origin' in item && item.origin === 'bundled') return false
    if (supports !== undefined && shelf.supports(item)?.includes(supports) === false) return false
    return wanted.length === 0 || hasWords(searchText(id, shelf.summary(item)), wanted)
  }
  return runSliced(filterInPieces(ids, passes), slicer)
}

/** In small letters, each once: one that is asked for a thousand times is looked for once. */
function wordsOf(query = ''): readonly string[] {
  return [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))]
}

function hasWords(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word))
}

function searchText(id: string, summary: JsonObject): string {
  const texts = ['name', 'displayName', 'description'].map((name) => own(summary, name))
  return [id, ...texts]
    .filter((text) => typeof text === 'string')
    .join('\n')
    .toLowerCase()
}

function toCursor(id: string): string {
  return Buffer.from(id).toString('base64url')
}

function fromCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString()
  if (id === '' || toCursor(id) !== cursor) {
    throw invalidInput('cursor', 'Invalid cursor: send `next_cursor` of the previous page')
  }
  return id
}
