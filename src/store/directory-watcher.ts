import { type FSWatcher, watch } from 'node:fs'
import { identityOf, isIgnored, isInFolder, listDirectory, lookAt } from './catalog-files.js'
import type { CatalogIndex } from './catalog-index.js'
import type { DocumentAddress } from './store.js'
import { looksLikeDocument } from './unread-files.js'

/** How long a directory must be calm before it is looked at, so that a file is not read half written. */
const CALM_MS = 30
/** A directory that never calms down is looked at all the same. */
const MAX_DELAY_MS = 120
/** How often everything is compared if the system cannot report changes. */
const POLL_MS = 1_000

interface Watched {
  readonly watcher: FSWatcher | undefined
  readonly identity: string
}

export interface DirectoryWatcherOptions {
  readonly root: string
  /** Where links may lead to; undefined is anywhere. */
  readonly fence: string | undefined
  readonly index: CatalogIndex
  readonly onChange: (addresses: readonly DocumentAddress[]) => void
  /** Called when the root appears or disappears. */
  readonly onPresence: (present: boolean) => void
}

/**
 * Notices what changes in a tree of directories, each watched on its own: the recursive form of `fs.watch` loses
 * events in new directories on Linux. Every event leads to a look at the directory, compared with what is known.
 */
export class DirectoryWatcher {
  readonly #options: DirectoryWatcherOptions
  readonly #watched = new Map<string, Watched>()
  /** The contents of each directory at the last look. */
  readonly #entries = new Map<string, ReadonlySet<string>>()
  readonly #dirty = new Map<string, { readonly since: number; timer: NodeJS.Timeout }>()
  /** Files in the catalog's folders that look like documents but are not read. */
  readonly #unread = new Set<string>()
  #poll: NodeJS.Timeout | undefined
  #scanning: Promise<unknown> = Promise.resolve()
  #closed = false
  #present = true
  #polling = false

  constructor(options: DirectoryWatcherOptions) {
    this.#options = options
  }

  /** `watch`, or `polling` where the system gives no events. */
  get mode(): 'watch' | 'polling' {
    return this.#polling ? 'polling' : 'watch'
  }

  /** Files in the catalog's folders that were probably meant as documents. */
  get unread(): Iterable<string> {
    return this.#unread
  }

  /** Watches and indexes the whole tree. */
  async start(): Promise<void> {
    await this.#scan(() => {})
    this.#poll = setInterval(() => void this.#check(), POLL_MS)
    this.#poll.unref()
  }

  /** Scans the whole tree and reports changed documents. False if the root does not exist. */
  scan(): Promise<boolean> {
    return this.#scan((changes) => this.#tell(changes))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#poll)
    for (const { timer } of this.#dirty.values()) clearTimeout(timer)
    for (const { watcher } of this.#watched.values()) watcher?.close()
    this.#watched.clear()
    await this.#scanning.catch(() => {})
  }

  /** No watched directory reports that the root itself is created or removed. */
  async #check(): Promise<void> {
    const known = this.#watched.get(this.#options.root)
    const identity = await identityOf(this.#options.root)
    if (this.#polling || known === undefined || identity !== known.identity) await this.scan()
  }

  #onEvent(directory: string, name: string | null): void {
    if (this.#closed || (name !== null && isIgnored(name) && !name.startsWith('..'))) return
    const now = performance.now()
    const known = this.#dirty.get(directory)
    const since = known?.since ?? now
    clearTimeout(known?.timer)
    const delay = Math.max(0, Math.min(CALM_MS, since + MAX_DELAY_MS - now))
    this.#dirty.set(directory, { since, timer: setTimeout(() => void this.#look(directory), delay) })
  }

  async #look(directory: string): Promise<void> {
    this.#dirty.delete(directory)
    await this.#scan((changes) => this.#tell(changes), directory)
  }

  #scan(tell: (changes: readonly DocumentAddress[]) => void, from = this.#options.root): Promise<boolean> {
    return this.#inTurn(async () => {
      const changes: DocumentAddress[] = []
      const present = await this.#visit(from, changes, new Set())
      if (!present) this.#forget(from, changes)
      // Reported first: while the root is missing, its documents are unreachable, not removed.
      if (from === this.#options.root) this.#felt(present)
      tell(changes)
      return present
    })
  }

  /** Indexes a directory and all below it. Returns false when it is not there. */
  async #visit(directory: string, changes: DocumentAddress[], above: ReadonlySet<string>): Promise<boolean> {
    const identity = await identityOf(directory)
    // A link back to a directory above leads round for ever.
    if (identity === undefined || above.has(identity) || this.#closed) return identity !== undefined
    this.#watch(directory, identity)
    const listing = await listDirectory(directory, this.#options.fence)
    if (listing === undefined) return false
    const { root, index } = this.#options
    for (const path of listing.files) {
      const file = await lookAt(root, path)
      if (file !== undefined && index.set(file)) changes.push(file.address)
      if (directory !== root && looksLikeDocument(path) && isInFolder(root, path)) this.#unread.add(path)
    }
    const here = new Set([...listing.files, ...listing.directories])
    const before = this.#entries.get(directory) ?? new Set()
    this.#entries.set(directory, here)
    for (const path of before) if (!here.has(path)) this.#forget(path, changes)
    const circle = new Set([...above, identity])
    for (const path of listing.directories) await this.#visit(path, changes, circle)
    return true
  }

  /** A file or a directory with all below it is gone. */
  #forget(path: string, changes: DocumentAddress[]): void {
    const address = this.#options.index.delete(path)
    if (address !== undefined) changes.push(address)
    this.#unread.delete(path)
    const entries = this.#entries.get(path) ?? new Set()
    this.#entries.delete(path)
    this.#unwatch(path)
    for (const entry of entries) this.#forget(entry, changes)
  }

  #watch(directory: string, identity: string): void {
    if (this.#watched.get(directory)?.identity === identity) return
    this.#unwatch(directory)
    let watcher: FSWatcher | undefined
    try {
      watcher = watch(directory, { persistent: false }, (_, name) => this.#onEvent(directory, name))
      // A removed directory causes this event, too; the following look finds out.
      watcher.on('error', () => this.#onEvent(directory, null))
    } catch {
      this.#polling = true
    }
    this.#watched.set(directory, { watcher, identity })
  }

  #unwatch(directory: string): void {
    this.#watched.get(directory)?.watcher?.close()
    this.#watched.delete(directory)
  }

  #tell(changes: readonly DocumentAddress[]): void {
    if (changes.length > 0 && !this.#closed) this.#options.onChange(changes)
  }

  #felt(present: boolean): void {
    if (present === this.#present) return
    this.#present = present
    this.#options.onPresence(present)
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#scanning.then(work, work)
    this.#scanning = turn.catch(() => {})
    return turn
  }
}
