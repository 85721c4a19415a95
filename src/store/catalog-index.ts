import { extname } from 'node:path'
import { getOrCreate } from '../util/get-or-create.js'
import { type CatalogFile, DOCUMENT_EXTENSIONS } from './catalog-files.js'
import type { DocumentAddress } from './store.js'

/** Which files of the catalog hold which document. */
export class CatalogIndex {
  readonly #files = new Map<string, CatalogFile>()
  readonly #byDocument = new Map<string, Set<string>>()

  get paths(): Iterable<string> {
    return this.#files.keys()
  }

  get isEmpty(): boolean {
    return this.#files.size === 0
  }

  /** Takes a file as it is now; true when that is news. */
  set(file: CatalogFile): boolean {
    if (this.#files.get(file.path)?.signature === file.signature) return false
    this.#files.set(file.path, file)
    getOrCreate(this.#byDocument, keyOf(file.address), () => new Set()).add(file.path)
    return true
  }

  /** Forgets a file; returns the document that it held. */
  delete(path: string): DocumentAddress | undefined {
    const file = this.#files.get(path)
    if (file === undefined) return undefined
    this.#files.delete(path)
    const paths = this.#byDocument.get(keyOf(file.address))
    paths?.delete(path)
    if (paths?.size === 0) this.#byDocument.delete(keyOf(file.address))
    return file.address
  }

  /** The files of a document, the one that counts first. */
  filesOf(address: DocumentAddress): readonly CatalogFile[] {
    const paths = [...(this.#byDocument.get(keyOf(address)) ?? [])].sort(byPrecedence)
    return paths.flatMap((path) => this.#files.get(path) ?? [])
  }

  /** One address per document. */
  *addresses(): Generator<DocumentAddress> {
    for (const paths of this.#byDocument.values()) {
      const [path] = paths
      const file = path === undefined ? undefined : this.#files.get(path)
      if (file !== undefined) yield file.address
    }
  }
}

function keyOf({ kind, path }: DocumentAddress): string {
  return `${kind}:${path.join(':')}`
}

function byPrecedence(one: string, other: string): number {
  const order = rank(one) - rank(other)
  return order !== 0 ? order : one < other ? -1 : 1
}

function rank(path: string): number {
  return DOCUMENT_EXTENSIONS.indexOf(extname(path))
}
