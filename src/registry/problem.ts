import type { DocumentPosition, Place } from './locate.js'

/** What is wrong with a document, before it is known which one. */
export interface Problem {
  /** Stable, snake_case. */
  readonly code: string
  readonly message: string
  /** What to write instead. */
  readonly hint?: string
  /** Of the file, both from 1. */
  readonly line?: number
  readonly column?: number
}

/** Where a problem is: a position that is known, or a place that is looked up in the document's text. */
export type ProblemPlace = Partial<DocumentPosition> | Place

/** A document that cannot be used. Thrown while one is parsed or normalised, caught where documents are applied. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  readonly problem: Problem
  /** What the position is worked out from, where it is not known yet. */
  readonly place: Place | undefined

  constructor(code: string, message: string, place: ProblemPlace = {}, hint?: string) {
    super(message)
    const isPlace = 'path' in place
    this.place = isPlace ? place : undefined
    this.problem = { code, message, ...(hint === undefined ? {} : { hint }), ...(isPlace ? {} : place) }
  }
}
