import { resolve } from 'node:path'
import { readCatalogFile } from './catalog-files.js'
import { CatalogIndex } from './catalog-index.js'
import { DirectoryWatcher } from './directory-watcher.js'
import type {
  DocumentAddress,
  LoadOptions,
  Store,
  StoredDocument,
  StoreHealth,
  StoreListener,
} from './store.js'
import { findUnread } from './unread-files.js'

const BATCH = 64

export interface DirectoryStoreOptions {
  /** Whether links may lead out of the directory. Those within it are followed anyway. */
  readonly followLinks?: boolean
}

/** A directory that is not there or cannot be read. */
class DirectoryMissingError extends Error {
  override readonly name = 'DirectoryMissingError'
}

/**
 * Opens a catalog in a directory with the folders `extensions`, `templates`, `environs` and `tools`. Files are JSON
 * or YAML, and their path is the key: `templates/translator/zh_en.yaml` is the prompt `translator.zh_en`.
 */
export function createDirectoryStore(directory: string, options: DirectoryStoreOptions = {}): Store {
  return new DirectoryStore(resolve(directory), options)
}

class DirectoryStore implements Store {
  readonly kind = 'directory'
  readonly location: string
  /** What links may not leave; undefined where they may lead anywhere. */
  readonly #fence: string | undefined
  readonly #index = new CatalogIndex()
  readonly #watcher: DirectoryWatcher
  #listener: StoreListener | undefined
  #isPresent = true

  constructor(root: string, { followLinks = false }: DirectoryStoreOptions) {
    this.location = root
    this.#fence = followLinks ? undefined : root
    this.#watcher = new DirectoryWatcher({
      root,
      fence: this.#fence,
      index: this.#index,
      onChange: (addresses) => this.#listener?.onChange({ kind: 'documents', addresses }),
      onPresence: (isPresent) => this.#foundPresent(isPresent),
    })
  }

  async watch(listener: StoreListener): Promise<void> {
    this.#listener = listener
    await this.#watcher.start()
  }

  async *load({ signal }: LoadOptions): AsyncGenerator<readonly StoredDocument[]> {
    if (!(await this.#watcher.scan())) throw this.#missing()
    const addresses = [...this.#index.addresses()]
    for (let start = 0; start < addresses.length; start += BATCH) {
      signal?.throwIfAborted()
      yield await this.#readAll(addresses.slice(start, start + BATCH))
    }
  }

  async get(addresses: readonly DocumentAddress[]): Promise<readonly StoredDocument[]> {
    if (!this.#isPresent) throw this.#missing()
    return this.#readAll(addresses)
  }

  health(): StoreHealth {
    const detail = this.#isPresent ? {} : { detail: `${this.location} is not there` }
    return { connected: this.#isPresent, mode: this.#watcher.mode, ...detail }
  }

  unread() {
    return findUnread(this.location, { files: this.#watcher.unread, isEmpty: this.#index.isEmpty })
  }

  close() {
    return this.#watcher.close()
  }

  #foundPresent(isPresent: boolean): void {
    this.#isPresent = isPresent
    this.#listener?.onHealth(this.health())
    if (isPresent) this.#listener?.onChange({ kind: 'everything', reason: 'the directory is back' })
  }

  #missing(): DirectoryMissingError {
    return new DirectoryMissingError(`${this.location} is not there`)
  }

  async #readAll(addresses: readonly DocumentAddress[]): Promise<readonly StoredDocument[]> {
    const documents = await Promise.all(addresses.map((address) => this.#read(address)))
    return documents.filter((document) => document !== undefined)
  }

  async #read(address: DocumentAddress): Promise<StoredDocument | undefined> {
    const [first, ...others] = this.#index.filesOf(address)
    if (first === undefined) return undefined
    const document = await readCatalogFile(first, this.#fence)
    if (document === undefined || others.length === 0) return document
    return { ...document, note: `read instead of ${others.map(({ path }) => path).join(', ')}` }
  }
}
