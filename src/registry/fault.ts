import { errorMessage } from '../util/errors/error-message.js'
import type { Sliced } from '../util/slices/sliced.js'
import type { DocumentPath } from './document-path.js'
import type { DocumentPosition, Locator, Place } from './locate.js'

/** Something wrong with a document. */
export interface Fault {
  /** Stable, snake_case. */
  readonly code: string
  readonly message: string
  /** What to write instead. */
  readonly hint?: string
  /** Of the file, both from 1; columns in UTF-16 code units. */
  readonly line?: number
  readonly column?: number
  readonly severity: 'error' | 'warning'
  /** True while an earlier, good version of the document keeps serving. */
  readonly servingLastGood: boolean
  /** The prompt it is about, for a document of an extension that contributes several. */
  readonly prompt?: string
}

/** A fault as it is found, before it is known what it means for what is served. */
export type FoundFault = Pick<Fault, 'code' | 'message' | 'hint' | 'line' | 'column'>

/** Where a fault is: a position that is known, or a place that is looked up in the document's text. */
export type FaultPlace = Partial<DocumentPosition> | Place

/** A document that cannot be used. Thrown while one is parsed or normalised, caught where documents are applied. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  readonly fault: FoundFault
  /** What the position is worked out from, where it is not known yet. */
  readonly place: Place | undefined

  constructor(code: string, message: string, place: FaultPlace = {}, hint?: string) {
    super(message)
    const isPlace = 'path' in place
    this.place = isPlace ? place : undefined
    this.fault = { code, message, ...(hint === undefined ? {} : { hint }), ...(isPlace ? {} : place) }
  }
}

/** A fault of a document that is served all the same. */
export function warning(found: FoundFault): Fault {
  return { ...found, severity: 'warning', servingLastGood: false }
}

/**
 * The fault that an error reports, of a document or of what is at a path of it.
 *
 * @param locator finds the place in its text; undefined where positions are not reported
 */
export function* faultOf(
  error: unknown,
  locator: Locator | undefined,
  servingLastGood: boolean,
  path: DocumentPath = [],
): Sliced<Fault> {
  const state = { severity: 'error', servingLastGood } as const
  if (!(error instanceof DocumentError)) return { code: 'unreadable', message: errorMessage(error), ...state }
  const { fault } = error
  const place = { ...error.place, path: [...path, ...(error.place?.path ?? [])] }
  // A text that does not parse has no places but the one where it fails, which is known.
  const isKnown = fault.line !== undefined || place.path.length === 0
  if (isKnown || locator === undefined) return { ...fault, ...state }
  yield* locator.prepare()
  return { ...fault, ...locator.locate(place), ...state }
}
