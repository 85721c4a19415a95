import { nearNames } from '../util/errors/near-names.js'
import { AUTHORED_KINDS, KINDS, type Kind } from './store.js'

/** What people call the directories of a catalog. */
const OTHER_NAMES: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  templates: ['prompts', 'prompt', 'template', 'messages'],
  environs: ['environments', 'environment', 'environ', 'env', 'context', 'contexts', 'variables'],
  tools: ['tool', 'functions', 'function'],
  extensions: ['extension', 'plugins'],
  agents: ['agent', 'assistants', 'assistant', 'bots'],
}

/** Directories that belong beside those of the documents: proposals and histories, tests and what they recorded. */
const BESIDE: ReadonlySet<string> = new Set([
  ...['proposals', 'agent-proposals', 'history', 'agent-history'],
  ...['tests', 'tapes', '__snapshots__'],
])

/** The directory that a name was probably meant as; undefined for a name that is right, or means something else. */
export function kindMeant(name: string): Kind | undefined {
  if (KINDS.some((kind) => kind === name) || BESIDE.has(name)) return undefined
  const lowered = name.toLowerCase()
  const known = AUTHORED_KINDS.find(
    (kind) => kind === lowered || OTHER_NAMES[kind]?.includes(lowered) === true,
  )
  return known ?? AUTHORED_KINDS.find((kind) => nearNames(lowered, [kind]).length > 0)
}
