import { TemplateError } from '../template/host.js'

/** The failure as callers see it: a missed deadline also names the limit of renders. */
export function nameLimit(error: unknown, timeoutMs: number): unknown {
  if (!(error instanceof TemplateError) || error.reason !== 'deadline') return error
  return error.withFacts({ hint: `a render may take ${timeoutMs} ms (RENDER_TIMEOUT_MS)` })
}
