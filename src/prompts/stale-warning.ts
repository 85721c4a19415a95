import type { Snapshot } from '../registry/snapshot.js'
import type { RenderWarning } from './tool-functions.js'

/** The code of the warning that a prompt is older than its document. */
const STALE_PROMPT = 'stale_prompt'

/** Says that a prompt is served from an earlier version of its document; undefined for one that is not. */
export function staleWarning({ stalePrompts }: Snapshot, id: string): readonly RenderWarning[] | undefined {
  // Nearly always there is none.
  const problem = stalePrompts.size === 0 ? undefined : stalePrompts.get(id)
  if (problem === undefined) return undefined
  const { message, line, column } = problem
  const place = line === undefined ? '' : ` at ${line}:${column ?? 1}`
  return [
    {
      code: STALE_PROMPT,
      message: `an earlier version is served, the new one is broken${place}: ${message}`,
    },
  ]
}

/** True for the warnings of a prompt that is older than its document. */
export function isStale(warnings: readonly RenderWarning[]): boolean {
  return warnings.some(({ code }) => code === STALE_PROMPT)
}
