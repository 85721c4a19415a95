import type { Diagnostic } from '../../registry/snapshot.js'
import { countFindings } from '../finding-format.js'
import type { Finding } from './finding.js'

const ADVICE = 'ai-prompt-shell check names each, with its place and what to write'

/** How many documents are wrong or doubtful. */
export function checkCatalog(diagnostics: readonly Diagnostic[]): Finding {
  const { errors, warnings } = countFindings(diagnostics)
  const message = `${errors} errors, ${warnings} warnings`
  if (diagnostics.length === 0) return { check: 'catalog', status: 'ok', message }
  return { check: 'catalog', status: errors > 0 ? 'mend' : 'note', message, advice: ADVICE }
}
