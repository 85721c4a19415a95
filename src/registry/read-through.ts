import { LRUCache } from 'lru-cache'
import type { DocumentAddress } from '../store/store.js'
import { at } from '../util/at.js'
import { getOrCreate } from '../util/get-or-create.js'
import { waitAtMost } from '../util/time/time-limits.js'
import { releaseAddress, versionAddress } from '../versions/addresses.js'
import { splitChoice } from '../versions/prompt-choice.js'
import type { Snapshot } from './snapshot.js'

/** How long an id stays known as missing, so that a client that asks again and again does not reach the store. */
const MISSING_FOR_MS = 1_000
const MAX_MISSING = 1_000
/** A request does not wait longer than this for a store that is slow. */
const MAX_WAIT_MS = 250
/** Ids are as long as people write them; longer ones are not looked up. */
const MAX_ID_LENGTH = 512

export interface ReadThroughDependencies {
  readonly now: () => number
  readonly current: () => Snapshot
  readonly fetch: (addresses: readonly DocumentAddress[]) => Promise<void>
  /** False while the store is out of reach: then nothing is asked. */
  readonly usable: () => boolean
  /** How long a request waits at most, in milliseconds. Default: 250. */
  readonly maxWaitMs?: number | undefined
}

/** Makes the function that asks the store for a prompt the mirror does not have, once for all who ask at a time. */
export function createReadThrough(
  dependencies: ReadThroughDependencies,
): (promptId: string) => Promise<Snapshot> {
  const { now, current, fetch, usable, maxWaitMs = MAX_WAIT_MS } = dependencies
  const running = new Map<string, Promise<void>>()
  const missing = new LRUCache<string, number>({ max: MAX_MISSING })

  async function ask(promptId: string): Promise<void> {
    try {
      await waitAtMost(maxWaitMs, fetch(candidates(promptId)))
    } catch {
      // The mirror loads everything again after a failure; this request continues with the current snapshot.
    }
    if (!isThere(current(), promptId)) missing.set(promptId, now() + MISSING_FOR_MS)
  }

  return async (promptId) => {
    const known = isThere(current(), promptId) || (missing.get(promptId) ?? 0) > now()
    if (known || !usable() || promptId.length > MAX_ID_LENGTH) return current()
    await getOrCreate(running, promptId, () => ask(promptId).finally(() => running.delete(promptId)))
    return current()
  }
}

function isThere({ prompts, versions, releases }: Snapshot, id: string): boolean {
  return prompts.has(id) || versions.has(id) || releases.has(id)
}

/** Where a prompt of this id can be, or the version or label that the id names. */
export function candidates(promptId: string): readonly DocumentAddress[] {
  const { id, choice } = splitChoice(promptId)
  if (choice === undefined) return headsOf(promptId)
  const heads = headsOf(id).filter(({ kind }) => kind === 'templates')
  const chosen = heads.map(({ path }) =>
    choice.label === undefined
      ? versionAddress('templates', path, choice.version)
      : releaseAddress('templates', path, choice.label),
  )
  // The whole text may be the id of a contributed prompt.
  return [...chosen, ...headsOf(promptId).filter(({ kind }) => kind === 'extensions')]
}

/** Where a prompt of this id can be: a template of its own, or contributed by an extension. */
function headsOf(promptId: string): readonly DocumentAddress[] {
  const parts = promptId.split('.')
  if (parts.includes('')) return []
  const paths = new Map<string, readonly string[]>()
  const add = (path: readonly string[]) => path.length > 0 && paths.set(path.join(':'), path)
  add(parts)
  add([at(parts, 0), parts.slice(1).join('.')].filter((part) => part !== ''))
  add([parts.slice(0, -1).join('.'), at(parts, -1)].filter((part) => part !== ''))
  const templates = [...paths.values()].map((path) => ({ kind: 'templates', path }) as const)
  const extension = parts.slice(0, -1)
  if (extension.length === 0) return templates
  const names = new Set([extension.join(':'), extension.join('.')])
  return [...templates, ...[...names].map((name) => ({ kind: 'extensions', path: name.split(':') }) as const)]
}
