import { getOrCreate } from '../../util/get-or-create.js'

/** Pages that are kept of one state of the catalog; the sixteen hold 160,000 rows. */
const MAX_PAGES = 16

/** As it is sent: compressed, or a text too small for that. */
type Page = Buffer | string

/**
 * Large pages of lists as they are sent, compressed: everybody who opens the page of the service asks for the same ones.
 * They belong to one state of the catalog, and are collected with it.
 */
export class KeptPages {
  readonly #pages = new WeakMap<object, Map<string, Promise<Page>>>()

  /** The page of this name: concurrent requests share one attempt. A failed page is made again. */
  find(snapshot: object, name: string, make: () => Promise<Page>): Promise<Page> {
    const pages = getOrCreate(this.#pages, snapshot, () => new Map<string, Promise<Page>>())
    const known = pages.get(name)
    if (known !== undefined || pages.size >= MAX_PAGES) return known ?? make()
    const made = make()
    pages.set(name, made)
    made.catch(() => pages.delete(name))
    return made
  }
}
