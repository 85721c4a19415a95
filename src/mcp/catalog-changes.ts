import type { Registry, RegistryChange } from '../registry/registry.js'
import { pause } from '../util/slices/pause.js'
import { environUri, promptUri } from './resource-uri.js'

/** Changes of the catalog go out together, at most so often. In milliseconds. */
const BETWEEN_MS = 150
/** The first one waits this long for others of the same write. */
const FIRST_MS = 20
/** URIs to report in one tick of the event loop. */
const AT_ONCE = 256

/** Gets the changes of the catalog. */
export interface ChangeListener {
  promptsChanged(): void
  resourcesChanged(): void
  toolsChanged(): void
  resourceUpdated(uri: string): void
}

/**
 * Reports changes of the catalog in MCP's words: lists that changed, documents that changed. A thousand changes in a
 * moment are one notice per list. Returns the function that ends it.
 *
 * @param now milliseconds from any beginning
 */
export function followChanges(
  registry: Registry,
  listener: ChangeListener,
  now = () => performance.now(),
): () => void {
  let waiting: RegistryChange[] = []
  let timer: NodeJS.Timeout | undefined
  let notifiedAt = Number.NEGATIVE_INFINITY
  let isClosed = false

  const notify = async (): Promise<void> => {
    const changes = waiting
    waiting = []
    notifiedAt = now()
    timer = undefined
    tellOfLists(changes, listener)
    for (const [index, uri] of updatedUris(changes).entries()) {
      if (isClosed) return
      listener.resourceUpdated(uri)
      if (index % AT_ONCE === AT_ONCE - 1) await pause()
    }
  }
  const unsubscribe = registry.subscribe((changes) => {
    if (changes.length === 0) return
    for (const change of changes) waiting.push(change)
    const wait = Math.max(FIRST_MS, notifiedAt + BETWEEN_MS - now())
    timer ??= setTimeout(() => void notify(), wait)
  })
  return () => {
    isClosed = true
    clearTimeout(timer)
    unsubscribe()
  }
}

function tellOfLists(changes: readonly RegistryChange[], listener: ChangeListener): void {
  // A prompt's line in the list has its arguments: a changed document may change it.
  if (changes.some(({ kind }) => kind === 'prompt')) listener.promptsChanged()
  if (changes.some(({ kind }) => kind === 'tool' || kind === 'agent')) listener.toolsChanged()
  if (changes.some(({ kind, change }) => isResource(kind) && change !== 'changed'))
    listener.resourcesChanged()
}

function updatedUris(changes: readonly RegistryChange[]): readonly string[] {
  const uris = changes
    .filter(({ kind }) => isResource(kind))
    .map(({ kind, id }) => (kind === 'prompt' ? promptUri(id) : environUri(id)))
  return [...new Set(uris)]
}

function isResource(kind: RegistryChange['kind']): boolean {
  return kind === 'prompt' || kind === 'environ'
}
