import { breaksDocument } from '../../registry/diagnostics.js'
import type { Diagnostic, Snapshot } from '../../registry/snapshot.js'
import type { Kind } from '../../store/store.js'
import { getOrCreate } from '../../util/get-or-create.js'

/** A document, or a prompt that an extension contributes, with errors. */
export interface BrokenDocument {
  readonly id: string
  /** An earlier version keeps serving. */
  readonly serving_last_good: boolean
  readonly diagnostics: readonly Diagnostic[]
}

/** What has errors among the documents of one kind, by id. */
export function brokenDocuments({ diagnostics }: Snapshot, kind: Kind): readonly BrokenDocument[] {
  const byId = new Map<string, Diagnostic[]>()
  for (const diagnostic of diagnostics) {
    const id = breaksDocument(diagnostic) ? idAs(kind, diagnostic) : undefined
    if (id !== undefined) getOrCreate(byId, id, () => []).push(diagnostic)
  }
  return [...byId.keys()].sort().map((id) => {
    const found = byId.get(id) ?? []
    return { id, serving_last_good: found.some(({ servingLastGood }) => servingLastGood), diagnostics: found }
  })
}

/** The id under which a list of this kind shows it: prompts of extensions are prompts too. */
function idAs(kind: Kind, diagnostic: Diagnostic): string | undefined {
  if (kind === 'templates' && diagnostic.prompt !== undefined) return diagnostic.prompt
  return diagnostic.kind === kind ? diagnostic.id : undefined
}
