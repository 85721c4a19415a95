import type { RegistryLog } from './registry.js'
import type { PromptEntry, SnapshotMap } from './snapshot.js'

/** More are not remembered; they are logged again when they are served again. */
const MAX_HEADS = 10_000

/** Heads that were served because nothing was released under `PROMPT_LABEL`: each is logged once per revision. */
export class UnreleasedHeads {
  readonly #label: string
  readonly #log: RegistryLog
  readonly #revisions = new Map<string, string>()

  constructor(label: string, log: RegistryLog) {
    this.#label = label
    this.#log = log
  }

  /** Notes that a head was served. */
  note({ id, revision }: Pick<PromptEntry, 'id' | 'revision'>): void {
    if (this.#revisions.get(id) === revision) return
    if (this.#revisions.size >= MAX_HEADS) this.#revisions.clear()
    this.#revisions.set(id, revision)
    this.#log.warn({ prompt: id, revision, label: this.#label }, 'unreleased')
  }

  /** The ids of those that are still served so, sorted. */
  ids(heads: Pick<SnapshotMap<unknown>, 'has'>, wasReleased: (id: string) => boolean): readonly string[] {
    return [...this.#revisions.keys()].filter((id) => heads.has(id) && !wasReleased(id)).sort()
  }
}
