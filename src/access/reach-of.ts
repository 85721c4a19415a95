import type { Reach } from '../registry/reach.js'
import { type Access, FULL_ACCESS } from './access.js'
import { mayUse } from './may-read.js'

/** What a key's own texts reach; undefined for everything. */
export function reachOf(access: Access): Reach | undefined {
  if (access === FULL_ACCESS) return undefined
  const { scopes, prompts, labels } = access
  const mayRead = scopes.has('read')
  const mayCallTools = scopes.has('tools')
  return {
    name: JSON.stringify([mayRead, mayCallTools, prompts?.patterns, labels]),
    mayUse: (id) => mayUse(access, id),
    mayBringTexts: scopes.has('inline'),
    mayRead,
    mayCallTools,
    labels,
  }
}
