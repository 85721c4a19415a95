import { ClaimTable } from './claim-table.js'
import type { DiagnosedRecord } from './diagnostics.js'
import { PersistentMap } from './persistent-map.js'
import { promptsOf } from './read-document.js'
import type { Diagnostic, Snapshot } from './snapshot.js'
import { ToldProblems } from './told-problems.js'

/** What a snapshot says of broken documents, and what is told of the documents' own problems, by place. */
export type Faults = Pick<Snapshot, 'stalePrompts' | 'brokenTexts'> & { readonly told: readonly Diagnostic[] }

/** True for a document of which there is something to tell. */
export function isFaulty(record: DiagnosedRecord | undefined): boolean {
  return record !== undefined && record.told.length > 0
}

type StalePrompt = Diagnostic & { readonly revision: string }

/** What is wrong with the documents themselves: a change costs what it touches, however many are broken. */
export class DocumentFaults {
  readonly #told = new ToldProblems()
  /** Prompts that are served from an earlier version of their document. */
  readonly #stale = new ClaimTable<StalePrompt>({ rankOf: () => 0 })
  #texts = new PersistentMap<string>()

  /** Takes a document as it is now instead of as it was, where either is faulty. */
  replace(before: DiagnosedRecord | undefined, after: DiagnosedRecord | undefined): void {
    this.#told.replace(before?.told ?? [], after?.told ?? [])
    if (before !== undefined) for (const [id] of staleIn(before)) this.#stale.release(id, before.location)
    if (after !== undefined) for (const [id, problem] of staleIn(after)) this.#stale.claim(id, problem)
    const texts = this.#texts.edit()
    if (before !== undefined) texts.delete(before.key)
    if (after?.text !== undefined) texts.set(after.key, after.text)
    this.#texts = texts.commit()
  }

  /** All of it as it is now. */
  commit(): Faults {
    return {
      told: this.#told.inOrder(),
      stalePrompts: this.#stale.commit().after,
      brokenTexts: this.#texts,
    }
  }
}

function* staleIn({ served, told, revision }: DiagnosedRecord): Generator<[id: string, StalePrompt]> {
  for (const problem of told) {
    if (!problem.servingLastGood) continue
    const claim = { ...problem, revision }
    if (problem.prompt !== undefined) yield [problem.prompt, claim]
    else for (const { id } of promptsOf(served)) yield [id, claim]
  }
}
