import type { Diagnostic } from '../../registry/snapshot.js'
import { counted } from '../../util/text/counted.js'
import { countFindings } from '../finding-format.js'
import type { Finding } from './finding.js'

const ADVICE = 'ai-prompt-shell check lists each one, with its place and how to fix it'

/** How many documents are wrong or doubtful. */
export function checkCatalog(diagnostics: readonly Diagnostic[]): Finding {
  const { errors, warnings } = countFindings(diagnostics)
  const message = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`
  if (diagnostics.length === 0) return { check: 'catalog', status: 'ok', message }
  return { check: 'catalog', status: errors > 0 ? 'fix' : 'note', message, advice: ADVICE }
}
