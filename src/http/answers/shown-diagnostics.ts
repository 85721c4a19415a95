import nodePath from 'node:path'
import { placeInCatalog } from '../../registry/place-in-catalog.js'
import type { RegistryStatus } from '../../registry/registry.js'
import type { Diagnostic } from '../../registry/snapshot.js'

/** More than these are counted only: the answer is for people, and for alerts. */
const MAX_SHOWN = 500

/** A diagnostic as answers show it. */
export interface ShownDiagnostic extends Diagnostic {
  readonly serving_last_good: boolean
}

/** The findings of a catalog as the status shows them. */
export interface ShownDiagnostics {
  /** Errors first. */
  readonly diagnostics: readonly ShownDiagnostic[]
  readonly diagnostics_total: { readonly errors: number; readonly warnings: number }
}

/**
 * A diagnostic for clients: where the catalog's directory is on this machine is not theirs to know.
 *
 * @param root the directory, for a finding about a folder that is not one of the catalog's
 */
export function showDiagnostic(diagnostic: Diagnostic, root?: string): ShownDiagnostic {
  const { location, servingLastGood } = diagnostic
  const place = root === undefined ? undefined : placeBelow(root, location)
  return { ...diagnostic, location: place ?? placeInCatalog(diagnostic), serving_last_good: servingLastGood }
}

/** Errors first, and no more than a page can show. */
export function showDiagnostics(
  findings: readonly Diagnostic[],
  { kind, location }: Pick<RegistryStatus['store'], 'kind' | 'location'>,
): ShownDiagnostics {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const warnings = findings.filter(({ severity }) => severity === 'warning')
  const root = kind === 'directory' ? location : undefined
  return {
    diagnostics: errors
      .concat(warnings)
      .slice(0, MAX_SHOWN)
      .map((each) => showDiagnostic(each, root)),
    diagnostics_total: { errors: errors.length, warnings: warnings.length },
  }
}

function placeBelow(root: string, location: string): string | undefined {
  if (!nodePath.isAbsolute(location)) return undefined
  const place = nodePath.relative(root, location).replaceAll('\\', '/')
  return place.startsWith('..') ? undefined : place || '.'
}
