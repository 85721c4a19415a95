import type { SnapshotMap } from '../registry/snapshot.js'
import { at } from '../util/at.js'
import { createSlicer } from '../util/slices/pause.js'
import { firstAfter } from '../util/text/sorted-names.js'
import { invalidParams } from './mcp-failure.js'

/** Rows of one page of a list. */
const PAGE_SIZE = 100

/** One of the lists that follow each other in a paged answer. */
export interface PageSection<Row> {
  /** Says in cursors which list it is. */
  readonly name: string
  /** Sorted. */
  ids(): readonly string[]
  /** Makes `ids` cheap, giving way to others. */
  prepare?(): Promise<void> | undefined
  /** Undefined for what the caller may not see. */
  row(id: string): Row | undefined
}

/** A page, and what leads to the next one. */
export interface Page<Row> {
  readonly rows: Row[]
  readonly nextCursor?: string
}

/** A section over one kind of the catalog's documents. */
export function catalogSection<Item, Row>(
  name: string,
  items: SnapshotMap<Item>,
  row: (item: Item, id: string) => Row | undefined,
): PageSection<Row> {
  return {
    name,
    ids: () => items.ids(),
    prepare: () => items.prepareIds(createSlicer()),
    row(id) {
      const item = items.get(id)
      return item && row(item, id)
    },
  }
}

/**
 * The page after a cursor, over several lists in a row. Many rows may be hidden from the caller, so the walk yields.
 *
 * @param cursor of the page before; undefined for the first page
 * @throws McpFailure for a cursor that is not one of ours
 */
export async function pageOf<Row>(
  sections: readonly PageSection<Row>[],
  cursor: string | undefined,
): Promise<Page<Row>> {
  const after = cursor === undefined ? undefined : readCursor(sections, cursor)
  const first = after === undefined ? 0 : sections.findIndex(({ name }) => name === after.section)
  const rows: Row[] = []
  let last: Place = { section: '', id: '' }
  const slicer = createSlicer()
  for (const [index, section] of sections.slice(first).entries()) {
    await section.prepare?.()
    slicer.begin()
    const ids = section.ids()
    for (let next = index === 0 && after ? firstAfter(ids, after.id) : 0; next < ids.length; next += 1) {
      const id = at(ids, next)
      const row = section.row(id)
      if (row !== undefined) {
        if (rows.length === PAGE_SIZE) return { rows, nextCursor: writeCursor(last) }
        rows.push(row)
        last = { section: section.name, id }
      }
      const turn = slicer.turn()
      if (turn !== undefined) await turn
    }
  }
  return { rows }
}

/** A position in a list: after this id of this section. */
interface Place {
  readonly section: string
  readonly id: string
}

function writeCursor({ section, id }: Place): string {
  return Buffer.from(`${section} ${id}`).toString('base64url')
}

function readCursor(sections: readonly PageSection<unknown>[], cursor: string): Place {
  const [, section = '', id = ''] = /^(\S+) (.*)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const place = { section, id }
  if (writeCursor(place) !== cursor || !sections.some(({ name }) => name === section))
    throw invalidParams('invalid_request', 'Invalid cursor: send `nextCursor` of the previous page')
  return place
}
