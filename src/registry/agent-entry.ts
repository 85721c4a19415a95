import type { JsonObject } from '../util/json.js'
import type { AgentDefinition } from './agent-definition.js'
import { normaliseAgent } from './normalise-agent.js'
import type { AgentEntry, PromptDefinition, PromptEntry } from './snapshot.js'

/** Where an agent's document lies, and which version of it this is. */
export type AgentPlace = Pick<AgentEntry, 'revision' | 'location' | 'source'>

/** The agent that a document describes. @param path of the document: its words make the id @throws DocumentError */
export function agentEntry(path: readonly string[], document: JsonObject, place: AgentPlace): AgentEntry {
  const definition = normaliseAgent(document, path.at(-1) ?? '')
  const id = path.join('.')
  return { id, ...place, document, definition, instructions: instructionsOf(id, definition, place) }
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
  }
  return { id: `agent:${id}`, ...place, origin: 'direct', extension: undefined, document: {}, definition }
}
