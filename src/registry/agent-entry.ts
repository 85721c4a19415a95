import type { JsonObject } from '../util/json/json.js'
import type { AgentDefinition } from './agent-definition.js'
import { normaliseAgent } from './normalise-agent.js'
import type { AgentEntry, CarriedPrompts, PromptDefinition, PromptEntry } from './snapshot.js'

/** Where an agent's document is stored, and which version of it this is. */
export type AgentPlace = Pick<AgentEntry, 'revision' | 'location' | 'source'>

/**
 * The agent that a document describes.
 *
 * @param path of the document: its words make the id
 * @param carried what a version of an agent includes
 * @throws DocumentError
 */
export function agentEntry(
  path: readonly string[],
  document: JsonObject,
  place: AgentPlace,
  carried?: CarriedPrompts,
): AgentEntry {
  const definition = normaliseAgent(document, path.at(-1) ?? '')
  const id = path.join('.')
  const instructions = instructionsOf(id, definition, place)
  return {
    id,
    ...place,
    document,
    definition,
    ...(carried !== undefined && { carried }),
    instructions: instructions && withCarried(instructions, carried),
  }
}

/** An agent's instructions as a prompt, so that they are checked, compiled and rendered like all others. */
function instructionsOf(
  id: string,
  { name, description, engine, parameters, instructions }: AgentDefinition,
  place: AgentPlace,
): PromptEntry | undefined {
  if (instructions === undefined) return undefined
  const definition: PromptDefinition = {
    ...{ name, description, engine, parameters },
    body: { kind: 'prompt', text: instructions, field: 'instructions' },
    ...{ supports: [], returns: undefined, model: undefined, options: {}, tools: [], version: undefined },
    examples: [],
    aliases: [],
  }
  return { id: `agent:${id}`, ...place, origin: 'direct', extension: undefined, document: {}, definition }
}

function withCarried(instructions: PromptEntry, carried: CarriedPrompts | undefined): PromptEntry {
  return carried === undefined ? instructions : { ...instructions, carries: () => carried }
}
