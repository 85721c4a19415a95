import type { StoredDocument } from '../store/store.js'
import { Catalog } from './catalog.js'
import type { Snapshot } from './snapshot.js'
import type { TemplateEngine } from './template-engine.js'

/** The snapshot of a set of documents, all at once: for checks, for the command line, for tests. */
export function createSnapshot(documents: Iterable<StoredDocument>, engine: TemplateEngine): Snapshot {
  const catalog = new Catalog(engine)
  for (const document of documents) catalog.put(document, 1, 1)
  const commit = catalog.commit()
  if (commit === undefined) throw new Error('the first commit always gives a snapshot')
  return commit.snapshot
}
