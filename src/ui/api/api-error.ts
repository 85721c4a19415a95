import type { ErrorBody } from './shapes.js'

/** A place that an error's details name. */
export interface Violation {
  readonly path: string
  readonly message: string
}

/** A request that was answered with an error, or not at all (status 0). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: unknown

  constructor(status: number, { message, code, details }: ErrorBody['error']) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.details = details
  }

  /** The places that the details list: missing variables, violations of a schema. */
  get violations(): readonly Violation[] {
    return Array.isArray(this.details) ? this.details.filter(isViolation) : []
  }

  /** Where in a template it is, lines and columns from 1. */
  get position(): { readonly line: number; readonly column: number } | undefined {
    const details = this.details
    if (typeof details !== 'object' || details === null) return undefined
    const { line, column } = { line: undefined, column: undefined, ...details }
    return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined
  }
}

function isViolation(value: unknown): value is Violation {
  return typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string'
}
