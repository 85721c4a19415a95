import { TemplateError } from '../template/api.js'

/** A failure as it is told: one at the deadline also names the limit of renders. */
export function nameLimit(error: unknown, timeoutMs: number): unknown {
  if (!(error instanceof TemplateError) || error.reason !== 'deadline') return error
  return error.withFacts({ hint: `a render may take ${timeoutMs} ms (RENDER_TIMEOUT_MS)` })
}
