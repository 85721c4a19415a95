import { nearPartials } from '../registry/near-partials.js'
import type { Reach } from '../registry/reach.js'
import type { Snapshot } from '../registry/snapshot.js'
import { TemplateError } from '../template/host.js'
import { isJsonObject, own } from '../util/json/json.js'

/** The failure as callers see it: for an unknown template it also suggests prompts with similar names. */
export function namePartials(error: unknown, snapshot: Snapshot, reach: Reach | undefined): unknown {
  if (!(error instanceof TemplateError) || error.reason !== 'partial' || !isJsonObject(error.details))
    return error
  const name = own(error.details, 'name')
  if (typeof name !== 'string') return error
  const { near, hint } = nearPartials(name, snapshot, (id) => reach?.mayUse(id) !== false)
  if (hint === undefined) return error
  return error.withFacts(near.length === 0 ? { hint } : { hint, near })
}
