import { nearNames } from '../util/errors/near-names.js'
import type { Snapshot } from './snapshot.js'

/** What can be said of a template that is called by a name that no text defines and no prompt with a userPrompt has. */
export interface NearPartials {
  /** Ids of prompts that can be called, best first. */
  readonly near: readonly string[]
  readonly hint: string | undefined
}

/**
 * @param name what the template calls
 * @param mayUse which prompts the caller may learn of
 */
export function nearPartials(
  name: string,
  { prompts }: Snapshot,
  mayUse: (id: string) => boolean = () => true,
): NearPartials {
  const isPartial = (id: string) => prompts.get(id)?.definition.body.kind === 'prompt'
  if (prompts.get(name) !== undefined && mayUse(name)) return { near: [], hint: hasMessages(name) }
  const near = nearNames(name, prompts.ids()).filter((id) => isPartial(id) && mayUse(id))
  const [first] = near
  return { near, hint: first === undefined ? undefined : `did you mean ${first}?` }
}

function hasMessages(name: string): string {
  return `${name} has messages: only a prompt with a userPrompt can be included`
}
