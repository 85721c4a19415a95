/** What is wrong with a document, before it is known which one. */
export interface Problem {
  /** Stable, snake_case. */
  readonly code: string
  readonly message: string
  readonly line?: number
  readonly column?: number
}

/** A document that cannot be used. Thrown while one is parsed or normalised, caught where documents are applied. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  readonly problem: Problem

  constructor(
    code: string,
    message: string,
    place: { readonly line?: number; readonly column?: number } = {},
  ) {
    super(message)
    this.problem = { code, message, ...place }
  }
}
