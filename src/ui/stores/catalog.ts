import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { ApiClient } from '../api/client.js'
import type { CatalogChange, Kind, Page, Summary } from '../api/shapes.js'
import { type Entry, search, toEntry } from './search.js'

/** One kind of entry: all that is known of it, and what is found. */
export interface Shelf {
  readonly entries: Signal<readonly Entry[]>
  readonly found: ReadonlySignal<readonly Entry[]>
  /** How many the service has; more than are here where it has very many. */
  readonly total: Signal<number>
}

/** What is in the catalog, and what is looked for. */
export interface Catalog {
  readonly query: Signal<string>
  readonly kind: Signal<Kind>
  readonly shelves: Readonly<Record<Kind, Shelf>>
  readonly loaded: Signal<boolean>
  /** Counts changes, so that whoever shows something of the catalog can look again. */
  readonly version: Signal<number>
  /** What changed last, as `kind id`; empty when it may be anything. */
  readonly changed: Signal<ReadonlySet<string>>
  load(): Promise<void>
  apply(changes: readonly CatalogChange[]): Promise<void>
}

export const KINDS: readonly Kind[] = ['prompt', 'tool', 'environ', 'agent']
const PAGE_SIZE = 10_000
/** Catalogs beyond this are searched by the service. */
const MOST_ENTRIES = 50_000
/** So many changes at once are read one by one; more, and the lists are read again. */
const FEW_CHANGES = 20

/** Mirrors the lists of the catalog. */
export function createCatalog(api: ApiClient): Catalog {
  const query = signal('')
  const shelves = { prompt: shelf(query), tool: shelf(query), environ: shelf(query), agent: shelf(query) }
  const version = signal(0)
  const loaded = signal(false)
  const changed = signal<ReadonlySet<string>>(new Set())
  const load = async () => {
    await Promise.all(KINDS.map((kind) => loadShelf(api, kind, shelves[kind])))
    batch(() => {
      loaded.value = true
      changed.value = new Set()
      version.value += 1
    })
  }
  const apply = async (changes: readonly CatalogChange[]) => {
    if (changes.length > FEW_CHANGES) return load()
    batch(() => {
      changed.value = new Set(changes.map(({ kind, id }) => `${kind} ${id}`))
      version.value += 1
    })
    await Promise.all(changes.map((change) => applyOne(api, shelves, change)))
  }
  return { query, kind: signal<Kind>('prompt'), shelves, loaded, version, changed, load, apply }
}

function shelf(query: Signal<string>): Shelf {
  const entries = signal<readonly Entry[]>([])
  return { entries, found: computed(() => search(entries.value, query.value)), total: signal(0) }
}

async function loadShelf(api: ApiClient, kind: Kind, { entries, total }: Shelf): Promise<void> {
  const rows: Entry[] = []
  let page: Page<Summary> | undefined
  do {
    const cursor = page?.next_cursor
    page = await api.list(kind, { limit: String(PAGE_SIZE), ...(cursor !== undefined && { cursor }) })
    for (const item of page.items) rows.push(toEntry(kind, item))
  } while (page.next_cursor !== undefined && rows.length < MOST_ENTRIES)
  const found = page.total
  batch(() => {
    entries.value = rows
    total.value = found
  })
}

async function applyOne(
  api: ApiClient,
  shelves: Catalog['shelves'],
  { kind, id, change, message }: CatalogChange,
): Promise<void> {
  if (kind === 'extension') return
  const { entries, total } = shelves[kind]
  const known = entries.peek().find((entry) => entry.id === id)
  const put = (entry: Entry | undefined) => {
    const next = withEntry(entries.peek(), id, entry)
    total.value += next.length - entries.peek().length
    entries.value = next
  }
  if (change === 'removed') return put(undefined)
  if (change === 'broken')
    return put({ ...(known ?? toEntry(kind, { id, revision: null })), broken: message ?? '' })
  const page = await api.list(kind, { q: id, limit: String(FEW_CHANGES) })
  const item = page.items.find((each) => each.id === id)
  if (item !== undefined) put(toEntry(kind, item))
  else if (change === 'mended') put(undefined)
}

/** The list with this entry in its place, or without it; sorted by id as it was. */
function withEntry(entries: readonly Entry[], id: string, entry: Entry | undefined): readonly Entry[] {
  const others = entries.filter((each) => each.id !== id)
  if (entry === undefined) return others
  const index = others.findIndex((each) => each.id > id)
  return index === -1 ? [...others, entry] : others.toSpliced(index, 0, entry)
}
