import type { Diagnostic } from '../../registry/snapshot.js'

/** More than these are counted only: the answer is for people, and for alerts. */
const MAX_SHOWN = 500

/** The findings of a catalog as the status shows them. */
export interface ShownDiagnostics {
  /** Errors first. */
  readonly diagnostics: readonly Diagnostic[]
  readonly diagnostics_total: { readonly errors: number; readonly warnings: number }
}

/** Errors first, and no more than a page can show. */
export function showDiagnostics(findings: readonly Diagnostic[]): ShownDiagnostics {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const warnings = findings.filter(({ severity }) => severity === 'warning')
  return {
    diagnostics: errors.concat(warnings).slice(0, MAX_SHOWN),
    diagnostics_total: { errors: errors.length, warnings: warnings.length },
  }
}
