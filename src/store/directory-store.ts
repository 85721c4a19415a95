import { resolve } from 'node:path'
import { readCatalogFile } from './catalog-files.js'
import { CatalogIndex } from './catalog-index.js'
import { DirectoryWatcher } from './directory-watcher.js'
import type { DocumentAddress, Store, StoredDocument, StoreHealth, StoreListener } from './store.js'
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
export function createDirectoryStore(
  directory: string,
  { followLinks = false }: DirectoryStoreOptions = {},
): Store {
  const root = resolve(directory)
  const fence = followLinks ? undefined : root
  const index = new CatalogIndex()
  let listener: StoreListener | undefined
  let present = true
  const watcher = new DirectoryWatcher({
    root,
    fence,
    index,
    onChange: (addresses) => listener?.onChange({ kind: 'documents', addresses }),
    onPresence: (now) => {
      present = now
      listener?.onHealth(health())
      if (now) listener?.onChange({ kind: 'everything', reason: 'the directory is back' })
    },
  })

  function health(): StoreHealth {
    const detail = present ? {} : { detail: `${root} is not there` }
    return { connected: present, mode: watcher.mode, ...detail }
  }

  async function read(address: DocumentAddress): Promise<StoredDocument | undefined> {
    const [first, ...others] = index.filesOf(address)
    if (first === undefined) return undefined
    const document = await readCatalogFile(first, fence)
    if (document === undefined || others.length === 0) return document
    return { ...document, note: `read instead of ${others.map(({ path }) => path).join(', ')}` }
  }

  async function readAll(addresses: readonly DocumentAddress[]): Promise<readonly StoredDocument[]> {
    const documents = await Promise.all(addresses.map(read))
    return documents.filter((document) => document !== undefined)
  }

  return {
    kind: 'directory',
    location: root,
    async watch(given) {
      listener = given
      await watcher.start()
    },
    async *load({ signal }) {
      if (!(await watcher.scan())) throw new DirectoryMissingError(`${root} is not there`)
      const addresses = [...index.addresses()]
      for (let start = 0; start < addresses.length; start += BATCH) {
        signal?.throwIfAborted()
        yield await readAll(addresses.slice(start, start + BATCH))
      }
    },
    async get(addresses) {
      if (!present) throw new DirectoryMissingError(`${root} is not there`)
      return readAll(addresses)
    },
    health,
    unread: () => findUnread(root, { files: watcher.unread, isEmpty: index.isEmpty }),
    close: () => watcher.close(),
  }
}
