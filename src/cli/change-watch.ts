import { watch } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dependentsOf } from '../prompts/dependents.js'
import type { CatalogEvent, Registry } from '../registry/registry.js'
import type { Snapshot } from '../registry/snapshot.js'
import { splitChoice } from '../versions/prompt-choice.js'

/** Changes within this many milliseconds count as one: editors write in several steps. */
const BURST_MS = 50
/** What tests write themselves, such as `__snapshots__`. */
const WRITTEN = /^__/

/** What changed since the last look. */
export interface Changes {
  readonly events: readonly CatalogEvent[]
  /** Whether something did that does not say what it reaches: a file with tests or beside them, a new version. */
  readonly isAnything: boolean
}

/** Follows the catalog and the folders of files; nothing is missed between two looks. */
export class ChangeWatch {
  readonly #ends: (() => void)[]
  readonly #folders = new Set<string>()
  #events: CatalogEvent[] = []
  #isAnything = false
  #wake = () => {}

  constructor(registry: Pick<Registry, 'subscribe'>) {
    const end = registry.subscribe((changes, _snapshot, conditions) => {
      this.#events.push(...changes, ...conditions)
      if (changes.length + conditions.length === 0) this.#isAnything = true
      this.#wake()
    })
    this.#ends = [end]
  }

  /** Follows the folders of these files from now on, too. */
  follow(files: readonly string[]): void {
    for (const folder of new Set(files.map((file) => dirname(file)))) {
      if (this.#folders.has(folder)) continue
      this.#folders.add(folder)
      const watcher = watch(folder, (_event, name) => {
        if (name !== null && WRITTEN.test(name)) return
        this.#isAnything = true
        this.#wake()
      })
      this.#ends.push(() => watcher.close())
    }
  }

  /** Resolves once something changed, with all of it. */
  async next(): Promise<Changes> {
    if (this.#events.length === 0 && !this.#isAnything)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    await sleep(BURST_MS)
    const changes = { events: this.#events, isAnything: this.#isAnything }
    this.#events = []
    this.#isAnything = false
    return changes
  }

  close(): void {
    for (const end of this.#ends) end()
  }
}

/** The ids of the prompts whose renders changes of the catalog may reach, as far as the texts show it. */
export async function promptsReachedBy(
  events: readonly CatalogEvent[],
  snapshot: Snapshot,
): Promise<ReadonlySet<string>> {
  const reached = new Set<string>()
  for (const { kind, id } of events) {
    const dependence = dependenceOf(kind, id, snapshot)
    if (dependence === undefined) continue
    if (dependence.kind === 'partial') reached.add(dependence.id)
    for (const prompt of (await dependentsOf(snapshot, dependence)).prompts) reached.add(prompt.id)
  }
  return reached
}

/** Undefined for what renders of prompts do not depend on: what an extension contributes has events of its own. */
function dependenceOf(kind: CatalogEvent['kind'], id: string, { tools }: Snapshot) {
  if (kind === 'prompt') return { kind: 'partial', id } as const
  if (kind === 'release') return { kind: 'partial', id: splitChoice(id).id } as const
  if (kind === 'environ') return { kind: 'environ', id } as const
  if (kind === 'tool')
    return { kind: 'tool', id: tools.get(id)?.functionName ?? id.replaceAll('.', '_') } as const
  return undefined
}
