import { Catalog } from '../../src/registry/catalog.js'
import type { Snapshot } from '../../src/registry/snapshot.js'
import { Stamp } from '../../src/registry/stamp.js'
import type { TemplateEngine } from '../../src/registry/template-engine.js'
import type { StoredDocument } from '../../src/store/store.js'

/** The snapshot of a set of documents, all at once: what a mirror of them should come to. */
export function createSnapshot(documents: Iterable<StoredDocument>, engine: TemplateEngine): Snapshot {
  const catalog = new Catalog(engine)
  const stamp = new Stamp(1)
  for (const document of documents) catalog.put(document, stamp)
  const commit = catalog.commit()
  if (commit === undefined) throw new Error('the first commit always gives a snapshot')
  return commit.snapshot
}
