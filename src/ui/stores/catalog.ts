import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { ApiClient } from '../api/client.js'
import { FIRST_PAGE, PAGE_SIZE } from '../api/early.js'
import type { CatalogChange, Diagnostic, Kind, SearchAnswer, Status } from '../api/shapes.js'
import type { Access } from './access.js'
import { createSearch, type Entry, type Search, toEntry } from './search.js'

/** One kind of entry: all that is known of it, and what is found. */
export interface Shelf {
  readonly entries: Signal<readonly Entry[]>
  readonly found: ReadonlySignal<readonly Entry[]>
  /** Leads to what is not here; undefined when all of it is. */
  readonly rest: Signal<string | undefined>
  /** What the service found there for the query. */
  readonly beyond: Signal<readonly Entry[]>
  /** Those whose texts have the words of the query. */
  readonly inTexts: Signal<readonly Entry[]>
  /** How many the service has; more than are here where it has very many. */
  readonly total: Signal<number>
}

/** Something wrong with a document. */
export interface CatalogProblem extends Diagnostic {
  /** Undefined for what has no list: extensions. */
  readonly page: Kind | undefined
  readonly id: string
}

/** What is in the catalog, and what is looked for. */
export interface Catalog {
  readonly query: Signal<string>
  readonly kind: Signal<Kind>
  readonly search: Search
  readonly shelves: Readonly<Record<Kind, Shelf>>
  readonly loaded: Signal<boolean>
  /** Counts changes, so that views of the catalog know when to reload. */
  readonly version: Signal<number>
  /** What changed last, as `kind id`; empty when it may be anything. */
  readonly changed: Signal<ReadonlySet<string>>
  /** Where the catalog is, for keys that may see it. */
  readonly store: Signal<Status['store'] | undefined>
  /** Everything that is broken, and what is doubtful where the key may see that. */
  readonly problems: Signal<readonly CatalogProblem[]>
  /** Shows the beginning of the list in sight, unless more of it is known: it is asked for before all else. */
  begin(): void
  load(): Promise<void>
  apply(changes: readonly CatalogChange[]): Promise<void>
}

export const KINDS: readonly Kind[] = ['prompt', 'tool', 'environ', 'agent']
/** The service searches for what is beyond these. */
const MAX_ENTRIES = 50_000
/** While somebody types, so long after the last key. */
const TYPING_MS = 150
/** How many more are shown. */
const MAX_BEYOND = 500
const NOTHING: readonly Entry[] = []
/** Up to this many changes at once are read one by one; for more, the lists are read again. */
const FEW_CHANGES = 20

/** Mirrors the lists of the catalog. */
export function createCatalog(api: ApiClient, access: Access): Catalog {
  const query = signal('')
  const search = createSearch()
  const made = () => shelf(query, search)
  const shelves = { prompt: made(), tool: made(), environ: made(), agent: made() }
  const version = signal(0)
  const loaded = signal(false)
  const changed = signal<ReadonlySet<string>>(new Set())
  const store = signal<Status['store'] | undefined>(undefined)
  const problems = signal<readonly CatalogProblem[]>([])
  const loadProblems = async () => {
    if (!access.may('read')) return
    if (access.may('admin')) {
      const status = await api.status()
      store.value = status.store
      problems.value = problemsOfStatus(status)
    } else problems.value = await problemsOfLists(api)
    markBroken(shelves, problems.value)
  }
  const loadProblemsSoon = soon(() => loadProblems().catch(() => {}))
  const load = async () => {
    await Promise.all(KINDS.map((kind) => loadShelf(api, kind, shelves[kind])))
    batch(() => {
      loaded.value = true
      changed.value = new Set()
      version.value += 1
    })
    loadProblemsSoon()
  }
  const apply = async (changes: readonly CatalogChange[]) => {
    if (changes.length > FEW_CHANGES) return load()
    batch(() => {
      changed.value = new Set(changes.map(({ kind, id }) => `${kind} ${id}`))
      version.value += 1
    })
    await Promise.all(changes.map((change) => applyOne(api, shelves, change)))
    loadProblemsSoon()
  }
  const kind = signal<Kind>('prompt')
  const begin = () => {
    beginShelf(api, kind.peek(), shelves[kind.peek()]).catch(() => {})
  }
  effect(() => searchBeyond(api, kind.value, shelves[kind.value], query.value))
  effect(() => searchTexts(api, shelves, query.value))
  return { query, kind, search, shelves, loaded, version, changed, store, problems, begin, load, apply }
}

function shelf(query: Signal<string>, search: Search): Shelf {
  const entries = signal<readonly Entry[]>([])
  const beyond = signal(NOTHING)
  const inTexts = signal(NOTHING)
  const found = computed(() => {
    const here = search(entries.value, query.value)
    const there = search(beyond.value, query.value)
    if (there.length + inTexts.value.length === 0) return here
    const found = [...here, ...there]
    const known = new Set(found.map(({ id }) => id))
    return [...found, ...inTexts.value.filter(({ id }) => !known.has(id))]
  })
  return { entries, beyond, inTexts, found, rest: signal<string | undefined>(undefined), total: signal(0) }
}

/** What fails here fails again where all is loaded, and is said there. */
async function beginShelf(api: ApiClient, kind: Kind, shelf: Shelf): Promise<void> {
  if (shelf.entries.peek().length > 0) return
  const { items, total } = await api.list(kind, { limit: FIRST_PAGE })
  if (shelf.entries.peek().length > 0) return
  show(
    shelf,
    items.map((item) => toEntry(kind, item)),
    total,
  )
}

/** Reads a list, the next page while one is read. What is more than the list had is in sight at once. */
async function loadShelf(api: ApiClient, kind: Kind, shelf: Shelf): Promise<void> {
  const rows: Entry[] = []
  const ask = (cursor?: string) =>
    api.list(kind, { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) })
  let page = await ask()
  for (;;) {
    const { items, total, next_cursor: next } = page
    const isLast = next === undefined || rows.length + items.length >= MAX_ENTRIES
    const coming = isLast ? undefined : ask(next)
    for (const item of items) rows.push(toEntry(kind, item))
    if (isLast || rows.length > shelf.entries.peek().length) show(shelf, rows, total)
    if (isLast) shelf.rest.value = next
    if (coming === undefined) return
    page = await coming
  }
}

function show({ entries, total }: Shelf, rows: readonly Entry[], count: number): void {
  batch(() => {
    entries.value = [...rows]
    total.value = count
  })
}

async function applyOne(api: ApiClient, shelves: Catalog['shelves'], told: CatalogChange): Promise<void> {
  const { kind, id, change } = told
  if (!hasShelf(kind)) return
  const { entries, total } = shelves[kind]
  const known = entries.peek().find((entry) => entry.id === id)
  const put = (entry: Entry | undefined) => {
    const next = withEntry(entries.peek(), id, entry)
    total.value += next.length - entries.peek().length
    entries.value = next
  }
  if (change === 'removed') return put(undefined)
  if (change === 'broken')
    return put({
      ...(known ?? toEntry(kind, { id, revision: null })),
      broken: ('message' in told && told.message) || '',
    })
  const [item] = (await api.list(kind, { id, limit: '1' })).items
  if (item !== undefined) put(toEntry(kind, item))
  else if (change === 'mended') put(undefined)
}

/** Problems are read so long after a change: changes come in groups. */
const PROBLEMS_AFTER_MS = 150

function soon(work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  return () => {
    clearTimeout(timer)
    timer = setTimeout(work, PROBLEMS_AFTER_MS)
  }
}

/** The store's names of what has a list. */
const PAGE_OF: Readonly<Record<string, Kind>> = {
  templates: 'prompt',
  tools: 'tool',
  environs: 'environ',
  agents: 'agent',
}

function problemsOfStatus({ diagnostics }: Status): readonly CatalogProblem[] {
  return diagnostics.map((each) => ({
    ...each,
    page: each.prompt === undefined ? PAGE_OF[each.kind] : 'prompt',
    id: each.prompt ?? each.id,
  }))
}

async function problemsOfLists(api: ApiClient): Promise<readonly CatalogProblem[]> {
  const lists = await Promise.all(KINDS.map(async (page) => ({ page, found: await api.broken(page) })))
  return lists.flatMap(({ page, found }) =>
    found.items.flatMap(({ id, diagnostics }) => diagnostics.map((each) => ({ ...each, page, id }))),
  )
}

/** What is broken is in its list, also where nothing of it can be read. */
function markBroken(shelves: Catalog['shelves'], problems: readonly CatalogProblem[]): void {
  for (const kind of KINDS) {
    const { entries } = shelves[kind]
    const errors = problems.filter(({ page, severity }) => page === kind && severity !== 'warning')
    const messages = new Map(errors.map(({ id, message }) => [id, message]))
    const known = new Set(entries.peek().map(({ id }) => id))
    let next: readonly Entry[] = entries.peek()
    if (next.some(({ id, broken }) => broken !== messages.get(id)))
      next = next
        .filter(({ id, revision }) => revision !== null || messages.has(id))
        .map(({ broken: _before, ...entry }) => {
          const message = messages.get(entry.id)
          return message === undefined ? entry : { ...entry, broken: message }
        })
    for (const [id, message] of messages)
      if (!known.has(id))
        next = withEntry(next, id, { ...toEntry(kind, { id, revision: null }), broken: message })
    if (next !== entries.peek()) entries.value = next
  }
}

/** Extensions, versions and labels have no list of their own. */
function hasShelf(kind: CatalogChange['kind']): kind is Kind {
  return KINDS.some((each) => each === kind)
}

/** Asks the service for what the page does not hold itself; stopped by what it gives back. */
function searchBeyond(api: ApiClient, kind: Kind, shelf: Shelf, query: string): (() => void) | undefined {
  const cursor = shelf.rest.value
  if (cursor === undefined || query.trim() === '') {
    shelf.beyond.value = NOTHING
    return undefined
  }
  const running = new AbortController()
  const ask = async () => {
    const asked = { q: query, cursor, limit: String(MAX_BEYOND) }
    const { items } = await api.list(kind, asked, running.signal)
    shelf.beyond.value = items.map((item) => toEntry(kind, item))
  }
  // What fails is asked for again with the next key.
  const timer = setTimeout(() => ask().catch(() => {}), TYPING_MS)
  return () => {
    clearTimeout(timer)
    running.abort()
  }
}

/** Shorter words are in every text. */
const MIN_SEARCHED = 3
/** The service reads many texts for it: it is asked once somebody pauses. */
const PAUSE_MS = 300

/** Asks the service for texts that have the words; stopped by what it gives back. */
function searchTexts(api: ApiClient, shelves: Catalog['shelves'], query: string): (() => void) | undefined {
  for (const kind of KINDS) shelves[kind].inTexts.value = NOTHING
  if (query.trim().length < MIN_SEARCHED) return undefined
  const running = new AbortController()
  const ask = async () => {
    const found = await api.search(query, running.signal)
    batch(() => {
      for (const kind of KINDS) shelves[kind].inTexts.value = entriesOf(found, kind)
    })
  }
  const timer = setTimeout(() => ask().catch(() => {}), PAUSE_MS)
  return () => {
    clearTimeout(timer)
    running.abort()
  }
}

function entriesOf({ items, words }: SearchAnswer, kind: Kind): readonly Entry[] {
  return items
    .filter((item) => item.kind === kind)
    .map(({ id, line, text }) => ({
      ...toEntry(kind, { id, description: fromMatch(text, words) }),
      line,
    }))
}

/** Characters of a line that a row shows before what was found. */
const BEFORE = 14

/** A line as a narrow row shows it: from shortly before what was found. */
function fromMatch(text: string, words: readonly string[]): string {
  const lowered = text.toLowerCase()
  const places = words.map((word) => lowered.indexOf(word)).filter((place) => place > BEFORE)
  return places.length < words.length ? text : `…${text.slice(Math.min(...places) - BEFORE)}`
}

/** The list with this entry in its place, or without it; sorted by id as it was. */
function withEntry(entries: readonly Entry[], id: string, entry: Entry | undefined): readonly Entry[] {
  const others = entries.filter((each) => each.id !== id)
  if (entry === undefined) return others
  const index = others.findIndex((each) => each.id > id)
  return index === -1 ? [...others, entry] : others.toSpliced(index, 0, entry)
}
