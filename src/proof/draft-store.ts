import { idOfPath } from '../registry/revision.js'
import { documentKey } from '../store/document-key.js'
import type { DocumentAddress, LoadOptions, Store, StoredDocument } from '../store/store.js'
import { withLoad } from '../store/with-load.js'

/** A store in which one document is another one: a draft that is not written yet. */
export function withDraft(store: Store, draft: StoredDocument): Store {
  const isMeant = ({ kind, path }: DocumentAddress) =>
    kind === draft.kind && idOfPath(kind, path) === idOfPath(draft.kind, draft.path)
  return {
    ...withLoad(store, (options) => loadWithDraft(store, draft, isMeant, options)),
    async get(addresses, options) {
      const found = await store.get(addresses, options)
      const others = found.filter((document) => !isMeant(document))
      const meant = addresses.find(isMeant)
      return meant === undefined ? others : [...others, { ...draft, path: meant.path }]
    },
    // What is compared is the catalog as it was read.
    watch: async (listener) => listener.onHealth(store.health()),
  }
}

async function* loadWithDraft(
  store: Store,
  draft: StoredDocument,
  isMeant: (address: DocumentAddress) => boolean,
  options: LoadOptions,
): AsyncIterable<readonly StoredDocument[]> {
  let isThere = false
  for await (const batch of store.load(options)) {
    isThere ||= batch.some(isMeant)
    yield batch.map((document) => (isMeant(document) ? { ...draft, path: document.path } : document))
  }
  const isNew = !isThere && options.isKnown?.(documentKey(draft), NOTHING) !== true
  if (isNew) yield [draft]
}

const NOTHING = new Uint8Array()
