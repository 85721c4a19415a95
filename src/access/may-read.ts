import type { Kind } from '../store/store.js'
import { splitChoice } from '../versions/prompt-choice.js'
import type { Access } from './access.js'

/** Whether a prompt may be used at all, whatever version or label its id names: rendered, sent to a model, included by what the key brings along. */
export function mayUse({ prompts }: Access, promptId: string): boolean {
  return prompts === undefined || prompts.matches(splitChoice(promptId).id)
}

/**
 * Whether a key may see that something of the catalog exists, and what it says: the one answer behind every list, event,
 * suggestion and completion. Extensions hold the drafts of several prompts: keys that get some prompts or labels see none.
 */
export function mayRead(access: Access, kind: Kind, id: string): boolean {
  if (!access.scopes.has('read')) return false
  if (kind === 'extensions') return access.prompts === undefined && access.labels === undefined
  return (kind !== 'templates' && kind !== 'releases') || mayUse(access, id)
}

/** Whether a key sees the whole catalog, drafts included. */
export function mayReadAll({ scopes, prompts, labels }: Access): boolean {
  return prompts === undefined && labels === undefined && scopes.has('read')
}
