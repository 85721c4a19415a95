import { AgentDocument } from '../schema/agent.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { isJsonObject, own } from '../util/json/json.js'
import { AGENT_DEFAULTS, type AgentDefinition } from './agent-definition.js'
import { checkJsonSchema, createShapeCheck, type ShapeCheck } from './check-shape.js'
import { DocumentError } from './fault.js'
import { normaliseVariables, withoutEmptyEntries } from './normalise-parameters.js'
import { withoutEmpty } from './without-empty.js'

const CODE = 'invalid_agent'
const checkShape: ShapeCheck<AgentDocument> = createShapeCheck(CODE, AgentDocument)
/** Texts that programs write empty when they mean none. */
const EMPTY_TEXTS: ReadonlySet<string> = new Set([
  ...['name', 'prompt', 'instructions', 'engine', 'model', 'protocol', 'answer', 'role', 'version'],
])
/** Members that are objects of settings: what is null in them is not said. */
const PARTS: ReadonlySet<string> = new Set(['approvals', 'guards', 'limits', 'context'])

/**
 * An agent as its author wrote it, in the one form that the service works with.
 *
 * @param fallbackName the name when the document has none
 * @throws DocumentError
 */
export function normaliseAgent(value: JsonValue, fallbackName: string): AgentDefinition {
  if (!isJsonObject(value)) throw new DocumentError(CODE, 'an agent must be an object')
  return definitionOf(withoutEmptyParts(value), fallbackName)
}

function withoutEmptyParts(document: JsonObject): JsonObject {
  const entries = Object.entries(withoutEmpty(document, { texts: EMPTY_TEXTS }))
  return Object.fromEntries(entries.map(([name, member]): [string, JsonValue] => [name, tidy(name, member)]))
}

function tidy(name: string, member: JsonValue): JsonValue {
  if (name === 'parameters') return withoutEmptyEntries(member)
  return PARTS.has(name) && isJsonObject(member) ? withoutEmpty(member) : member
}

function definitionOf(document: JsonObject, fallbackName: string): AgentDefinition {
  checkShape(document)
  const { answer = AGENT_DEFAULTS.answer } = document
  if (typeof answer !== 'string') checkJsonSchema(CODE, 'answer', answer)
  return {
    name: document.name ?? fallbackName,
    description: document.description ?? '',
    prompt: document.prompt,
    instructions: document.instructions,
    engine: document.engine ?? AGENT_DEFAULTS.engine,
    parameters: normaliseVariables(CODE, own(document, 'parameters')),
    model: document.model,
    options: document.options ?? {},
    tools: document.tools ?? AGENT_DEFAULTS.tools,
    protocol: document.protocol ?? AGENT_DEFAULTS.protocol,
    approvals: { ...AGENT_DEFAULTS.approvals, ...pick(document.approvals, ['ask', 'deny']) },
    answer,
    agentRole: document.role === 'agent-browsing' ? 'browsing' : (document.role ?? AGENT_DEFAULTS.agentRole),
    guards: { ...AGENT_DEFAULTS.guards, ...pick(document.guards, GUARDS) },
    limits: pick(document.limits, LIMITS),
    context: { ...AGENT_DEFAULTS.context, ...pick(document.context, CONTEXT) },
    version: document.version,
  }
}

const GUARDS = ['format', 'refusal', 'duplicate', 'loop', 'repetition'] as const
const LIMITS = [
  ...(['maxTurns', 'maxToolTurns', 'maxCallsPerTurn', 'maxSteps', 'maxTokens', 'maxCost', 'maxMs'] as const),
] as const
const CONTEXT = ['window', 'keepToolResults', 'compact'] as const

/** Only the members that mean something, and only those that are there. */
function pick<Part extends object, Name extends keyof Part>(
  part: Part | undefined,
  names: readonly Name[],
): Partial<Pick<Part, Name>> {
  const picked: Partial<Pick<Part, Name>> = {}
  if (part === undefined) return picked
  for (const name of names) if (Object.hasOwn(part, name)) picked[name] = part[name]
  return picked
}
