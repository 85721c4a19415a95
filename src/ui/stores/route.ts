import { type Signal, signal } from '@preact/signals'
import type { Kind } from '../api/shapes.js'

/** What is open. The address says it, so that every view has a link. */
export type Route =
  | { readonly page: 'start' }
  | { readonly page: 'problems' }
  | { readonly page: 'activity' }
  | OpenEntry
  | { readonly page: 'tasks'; readonly id?: string }

/** An entry of the catalog that is open. */
export interface OpenEntry {
  readonly page: Kind
  readonly id: string
  /** What of it is in sight. */
  readonly view?: string
  /** A draft that the link brings along. */
  readonly draft?: string
  /** A place inside a value, dotted. */
  readonly path?: string
  /** A line of a prompt's text, from 1. */
  readonly line?: number
  /** The example that fills the form. */
  readonly case?: string | undefined
  /** The programming language of its code. */
  readonly code?: string | undefined
}

const KINDS: ReadonlySet<string> = new Set<Kind>(['prompt', 'tool', 'environ', 'agent'])

/** The address of a route, to follow or to share. */
export function hrefOf(route: Route): string {
  if (route.page === 'start') return '#/'
  if (route.page === 'problems' || route.page === 'activity') return `#/${route.page}`
  if (route.page === 'tasks')
    return route.id === undefined ? '#/tasks' : `#/tasks/${encodeURIComponent(route.id)}`
  const query = new URLSearchParams()
  if (route.draft !== undefined) query.set('draft', route.draft)
  if (route.path !== undefined) query.set('path', route.path)
  if (route.line !== undefined) query.set('line', String(route.line))
  if (route.case !== undefined) query.set('case', route.case)
  if (route.code !== undefined) query.set('code', route.code)
  const tail = query.size === 0 ? '' : `?${query}`
  const view = route.view === undefined || route.view === 'preview' ? '' : `/${route.view}`
  return `#/${route.page}/${encodeURIComponent(route.id)}${view}${tail}`
}

/** Reads what {@link hrefOf} writes; anything else is the start. */
function parseRoute(hash: string): Route {
  const [address = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [page = '', rest = '', view = ''] = address.split('/')
  const id = decoded(rest)
  if (page === 'tasks') return id === '' ? { page } : { page, id }
  if (page === 'problems' || page === 'activity') return { page }
  if (!isKind(page) || id === '') return { page: 'start' }
  const values = new URLSearchParams(query)
  const [draft, path, line, example, code] = ['draft', 'path', 'line', 'case', 'code'].map(
    (name) => values.get(name) ?? undefined,
  )
  return {
    ...{ page, id },
    ...(view !== '' && { view }),
    ...(draft !== undefined && { draft }),
    ...(path !== undefined && { path }),
    ...(example !== undefined && { case: example }),
    ...(code !== undefined && { code }),
    ...(line !== undefined && /^\d{1,9}$/.test(line) && { line: Number(line) }),
  }
}

/** The open route, following the address bar. */
export function createRoute(window: Window): Signal<Route> {
  const route = signal(parseRoute(window.location.hash))
  window.addEventListener('hashchange', () => {
    route.value = parseRoute(window.location.hash)
  })
  return route
}

/** Puts what is in sight into the address of the open entry, without a step in the history. */
export function refine(route: Signal<Route>, more: Pick<OpenEntry, 'view' | 'case' | 'code'>): void {
  const open = route.peek()
  if (!isEntry(open)) return
  const next = { ...open, ...more }
  if (hrefOf(next) === hrefOf(open)) return
  window.history.replaceState(null, '', hrefOf(next))
  route.value = next
}

function isEntry(open: Route): open is OpenEntry {
  return KINDS.has(open.page)
}

function isKind(page: string): page is Kind {
  return KINDS.has(page)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
