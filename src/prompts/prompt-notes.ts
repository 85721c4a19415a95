import { MISSING_DEPENDENCE } from '../registry/diagnostics.js'
import type { PromptEntry, Snapshot } from '../registry/snapshot.js'
import type { RenderWarning } from './tool-functions.js'

/** The code of the warning that a prompt is older than its document. */
const STALE_PROMPT = 'stale_prompt'

/** A prompt, and what is served of it. */
export interface NotedPrompt {
  readonly prompt: Pick<PromptEntry, 'id' | 'extension'>
  /** undefined for a head. */
  readonly served: object | undefined
  /** True for a head that is served because nothing was released. */
  readonly isUnreleased: boolean
}

const UNRELEASED: RenderWarning = {
  code: 'unreleased',
  message: 'this prompt has no release under PROMPT_LABEL: its draft is served',
}

/** What callers of a prompt should know of its place in the catalog; undefined where there is nothing to say. */
export function promptNotes(
  snapshot: Snapshot,
  { prompt: { id, extension }, served, isUnreleased }: NotedPrompt,
): readonly RenderWarning[] | undefined {
  const { stalePrompts, unmetDependences } = snapshot
  // A version is as old as it should be.
  if (served !== undefined) return undefined
  // Nearly always there is nothing.
  if (stalePrompts.size === 0 && unmetDependences.size === 0 && !isUnreleased) return undefined
  const unreleased = isUnreleased ? [UNRELEASED] : []
  const notes = [...unreleased, ...staleNotes(snapshot, id), ...dependenceNotes(snapshot, extension)]
  return notes.length === 0 ? undefined : notes
}

function staleNotes({ stalePrompts }: Snapshot, id: string): readonly RenderWarning[] {
  const problem = stalePrompts.get(id)
  if (problem === undefined) return []
  const { message, line, column } = problem
  const place = line === undefined ? '' : ` at ${line}:${column ?? 1}`
  return [
    {
      code: STALE_PROMPT,
      message: `an earlier version is served, the new one is broken${place}: ${message}`,
    },
  ]
}

function dependenceNotes(
  { unmetDependences }: Snapshot,
  extension: string | undefined,
): readonly RenderWarning[] {
  const missing = extension === undefined ? [] : (unmetDependences.get(extension) ?? [])
  return missing
    .filter(({ isRequired }) => isRequired)
    .map(({ message }) => ({ code: MISSING_DEPENDENCE, message }))
}

/** True for the warnings of a prompt that is older than its document. */
export function isStale(warnings: readonly RenderWarning[]): boolean {
  return warnings.some(({ code }) => code === STALE_PROMPT)
}
