import type { Kind } from '../store/store.js'
import type { Aborted } from './aborted-extensions.js'
import type { Claim, LostClaim } from './claim-table.js'
import type { DocumentProblem } from './document-problem.js'
import { type DocumentPosition, locatorOf } from './locate.js'
import { promptsOf, type Served } from './read-document.js'
import { addressOfKey } from './revision.js'
import type { Diagnostic } from './snapshot.js'

/** A document with what is served from it and what is wrong with it. */
export interface DiagnosedRecord {
  /** See `documentKey`. */
  readonly key: string
  readonly location: string
  readonly served: Served | undefined
  readonly problems: readonly DocumentProblem[]
  /** What is written there, of a short document that has no good version. */
  readonly text?: string | undefined
}

export interface DiagnosticSources {
  readonly diagnosed: Iterable<DiagnosedRecord>
  /** Environs that lose against environs below their path. */
  readonly hidden: Iterable<{ readonly record: DiagnosedRecord; readonly message: string }>
  /** Extensions that are not served because something is missing. */
  readonly aborted: Iterable<Aborted & { readonly record: DiagnosedRecord }>
  readonly lost: Iterable<LostClaim<Claim> & { readonly kind: Kind }>
}

/** What is wrong with the documents themselves and between them, in the order of the documents' places. */
export function collectDiagnostics(sources: DiagnosticSources): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  for (const record of sources.diagnosed)
    found.push(...record.problems.map((problem) => ({ ...nameOf(record), ...problem })))
  for (const { record, message } of sources.hidden)
    found.push({ ...nameOf(record), code: 'environ_conflict', message, ...WARNING })
  for (const { record, message, index } of sources.aborted)
    found.push({
      ...nameOf(record),
      code: 'missing_dependence',
      message,
      ...ERROR,
      ...placeOf(record, index),
    })
  for (const { kind, id, entry, winner } of sources.lost) {
    const message = `${winner.location} has the same name, ${id}, and comes first`
    found.push({ kind, id, location: entry.location, code: 'duplicate_id', message, ...WARNING })
  }
  return found.sort(byPlace)
}

const ERROR = { severity: 'error', servingLastGood: false } as const
const WARNING = { severity: 'warning', servingLastGood: false } as const

function placeOf({ served }: DiagnosedRecord, index: number): Partial<DocumentPosition> {
  const source = served?.kind === 'extensions' ? served.entry.source : undefined
  return locatorOf(source)?.locate({ path: ['contributes', 'dependences', index] }) ?? {}
}

function nameOf({ key, location }: DiagnosedRecord): Pick<Diagnostic, 'kind' | 'id' | 'location'> {
  const { kind, path } = addressOfKey(key)
  return { kind, id: path.join('.'), location }
}

/** Prompts that are served from an earlier version of their document, by id, with what is wrong with the new one. */
export function stalePrompts(records: Iterable<DiagnosedRecord>): ReadonlyMap<string, DocumentProblem> {
  const stale = new Map<string, DocumentProblem>()
  for (const { served, problems } of records) {
    for (const problem of problems) {
      if (!problem.servingLastGood) continue
      if (problem.prompt !== undefined) stale.set(problem.prompt, problem)
      else for (const { id } of promptsOf(served)) stale.set(id, problem)
    }
  }
  return stale
}

/** What is written in documents that have no good version, by key. Long ones are left out. */
export function brokenTexts(records: Iterable<DiagnosedRecord>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const { key, text } of records) if (text !== undefined) texts.set(key, text)
  return texts
}

/** By location, then by position and message. */
export function byPlace(one: Diagnostic, other: Diagnostic): number {
  if (one.location !== other.location) return one.location < other.location ? -1 : 1
  const line = (one.line ?? 0) - (other.line ?? 0)
  if (line !== 0) return line
  const column = (one.column ?? 0) - (other.column ?? 0)
  if (column !== 0) return column
  return one.message < other.message ? -1 : Number(one.message > other.message)
}
