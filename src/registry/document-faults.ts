import { ClaimTable } from './claim-table.js'
import type { DiagnosedRecord } from './diagnostics.js'
import { FaultsInOrder } from './faults-in-order.js'
import { PersistentMap } from './persistent-map.js'
import { promptsOf } from './read-document.js'
import type { Diagnostic, Snapshot } from './snapshot.js'

/** What a snapshot holds about broken documents, and the faults of all documents by place. */
export type Faults = Pick<Snapshot, 'stalePrompts' | 'brokenTexts'> & {
  readonly faults: readonly Diagnostic[]
}

/** True for a document with a fault. */
export function isFaulty(record: DiagnosedRecord | undefined): boolean {
  return record !== undefined && record.faults.length > 0
}

type StalePrompt = Diagnostic & { readonly revision: string }

/** What is wrong with the documents themselves: a change costs what it touches, however many are broken. */
export class DocumentFaults {
  readonly #faults = new FaultsInOrder()
  /** Prompts that are served from an earlier version of their document. */
  readonly #stale = new ClaimTable<StalePrompt>({ rankOf: () => 0 })
  #texts = new PersistentMap<string>()

  /** Takes a document as it is now instead of as it was, where either is faulty. */
  replace(before: DiagnosedRecord | undefined, after: DiagnosedRecord | undefined): void {
    this.#faults.replace(before?.faults ?? [], after?.faults ?? [])
    if (before !== undefined) for (const [id] of staleIn(before)) this.#stale.release(id, before.location)
    if (after !== undefined) for (const [id, problem] of staleIn(after)) this.#stale.claim(id, problem)
    const texts = this.#texts.edit()
    if (before !== undefined) texts.delete(before.key)
    if (after?.brokenText !== undefined) texts.set(after.key, after.brokenText)
    this.#texts = texts.commit()
  }

  /** All of it as it is now. */
  commit(): Faults {
    return {
      faults: this.#faults.inOrder(),
      stalePrompts: this.#stale.commit().after,
      brokenTexts: this.#texts,
    }
  }
}

function* staleIn({ served, faults, revision }: DiagnosedRecord): Generator<[id: string, StalePrompt]> {
  for (const fault of faults) {
    if (!fault.servingLastGood) continue
    const claim = { ...fault, revision }
    if (fault.prompt !== undefined) yield [fault.prompt, claim]
    else for (const { id } of promptsOf(served)) yield [id, claim]
  }
}
