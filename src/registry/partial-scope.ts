import { getOrCreate } from '../util/get-or-create.js'
import { splitChoice } from '../versions/prompt-choice.js'
import { type Asked, choose, type LabelRules, NOTHING_ASKED } from './choose.js'
import type { PromptEntry, Snapshot } from './snapshot.js'

/** How the templates of heads and of texts in requests find what they include. */
export interface PartialScope {
  /** Equal for equal scopes: what was compiled under one is not used under another. Empty for the catalog's heads. */
  readonly name: string
  find(snapshot: Snapshot, name: string): PromptEntry | undefined
}

const NO_RULES: LabelRules = {
  promptLabel: undefined,
  isGated: () => false,
  wasReleased: () => false,
  noteUnreleased: () => {},
  now: () => 0,
}

/** The heads of the catalog, and the versions and labels that a template names itself. */
export const LIVE: PartialScope = {
  name: '',
  find: (snapshot, name) => snapshot.prompts.get(name) ?? findNamed(snapshot, name, NOTHING_ASKED, NO_RULES),
}

/** What a caller with labels of its own gets, or one of a process that has a label for all. */
function createPartialScope(asked: Asked, rules: LabelRules): PartialScope {
  const { bound } = asked
  const name = bound === undefined ? `label ${rules.promptLabel}` : `only ${bound.join(' ')}`
  return { name, find: (snapshot, partial) => findNamed(snapshot, partial, { bound }, rules) }
}

/** Gives each caller its scope; callers with the same list of labels share one. */
export function createScopes(rules: LabelRules): (asked: Asked) => PartialScope {
  const usual = rules.promptLabel === undefined ? LIVE : createPartialScope(NOTHING_ASKED, rules)
  const known = new WeakMap<readonly string[], PartialScope>()
  return ({ bound }) =>
    bound === undefined ? usual : getOrCreate(known, bound, () => createPartialScope({ bound }, rules))
}

function findNamed(
  { prompts: heads, promptLives: lives }: Snapshot,
  name: string,
  { bound }: Asked,
  rules: LabelRules,
): PromptEntry | undefined {
  // A contributed prompt may have a name with "@"; it is nobody's version.
  const { id, choice } = splitChoice(name)
  const chosen = choose({ heads, lives }, id, { ...choice, bound }, rules)
  if (chosen.kind === 'head') return chosen.head
  // Of a label that is split, what most requests get that are not chosen for something newer.
  return chosen.kind === 'version' ? chosen.targets[0].version.prompt : undefined
}
