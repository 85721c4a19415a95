import type { Kind } from '../store/store.js'
import type { Claim, LostClaim } from './claim-table.js'
import { byPlace } from './faults-in-order.js'
import type { LifeFinding } from './lives.js'
import { type DocumentPosition, locatorOf } from './locate.js'
import { placeInCatalog } from './place-in-catalog.js'
import type { Served } from './read-document.js'
import { addressOfKey, idOfPath } from './revision.js'
import type { Diagnostic } from './snapshot.js'
import type { UnmetDependence } from './unmet-dependences.js'

/** A document with what is served from it and what is wrong with it. */
export interface DiagnosedRecord {
  /** See `documentKey`. */
  readonly key: string
  readonly location: string
  readonly revision: string
  readonly served: Served | undefined
  readonly faults: readonly Diagnostic[]
  /** What is written there, of a short document that has no good version. */
  readonly brokenText?: string | undefined
}

export interface DiagnosticSources {
  /** Of the documents themselves, by place. */
  readonly faults: readonly Diagnostic[]
  /** Environs that lose against environs below their path. */
  readonly hidden: Iterable<{ readonly record: DiagnosedRecord; readonly message: string }>
  /** What extensions require and the catalog does not have. */
  readonly unmet: Iterable<Omit<UnmetDependence, 'isRequired'> & { readonly record: DiagnosedRecord }>
  readonly lost: Iterable<LostClaim<Claim> & { readonly kind: Kind; readonly code: string }>
  /** What labels and versions do not serve. */
  readonly lives: Iterable<LifeFinding>
}

/** What is wrong with the documents themselves and between them, in the order of the documents' places. */
export function collectDiagnostics(sources: DiagnosticSources): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  for (const { record, message } of sources.hidden)
    found.push({ ...nameOf(record), code: 'environ_conflict', message, ...WARNING })
  for (const { record, message, index } of sources.unmet)
    found.push({
      ...nameOf(record),
      code: MISSING_DEPENDENCE,
      message,
      hint: 'add it, or write failStrategy: ignore; the prompts are served meanwhile',
      ...ERROR,
      ...placeOf(record, index),
    })
  for (const { kind, id, entry, winner, code } of sources.lost) {
    const end = code === 'alias_conflict' ? ': neither of them has it' : ', and comes first'
    const message = `${placeInCatalog({ kind, location: winner.location })} has the same name, ${id}${end}`
    found.push({ kind, id, location: entry.location, code, message, ...WARNING })
  }
  for (const { kind, id, location, code, message } of sources.lives) {
    const state = code === 'release_unusable' ? ERROR : WARNING
    found.push({ kind, id, location, code, message, ...state })
  }
  return found.length === 0 ? sources.faults : [...sources.faults, ...found].sort(byPlace)
}

/** The code of what an extension requires and the catalog does not have. */
export const MISSING_DEPENDENCE = 'missing_dependence'

/** True for an error that keeps a document from being served as it is written. A missing dependence does not. */
export function breaksDocument({ severity, code }: Pick<Diagnostic, 'severity' | 'code'>): boolean {
  return severity === 'error' && code !== MISSING_DEPENDENCE
}

const ERROR = { severity: 'error', servingLastGood: false } as const
const WARNING = { severity: 'warning', servingLastGood: false } as const

function placeOf({ served }: DiagnosedRecord, index: number): Partial<DocumentPosition> {
  const source = served?.kind === 'extensions' ? served.entry.source : undefined
  return locatorOf(source)?.locate({ path: ['contributes', 'dependences', index] }) ?? {}
}

function nameOf({ key, location }: DiagnosedRecord): Pick<Diagnostic, 'kind' | 'id' | 'location'> {
  const { kind, path } = addressOfKey(key)
  return { kind, id: idOfPath(kind, path), location }
}
