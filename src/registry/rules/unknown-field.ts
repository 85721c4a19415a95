import { AgentDocument } from '../../schema/agent.js'
import { ExtensionFrame } from '../../schema/extension.js'
import { AuthoredMessage, PromptDocument } from '../../schema/prompt.js'
import { ToolDocument } from '../../schema/tool.js'
import { nearNames } from '../../util/errors/near-names.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { type DocumentPath, describePath } from '../document-path.js'
import type { Advice, AgentRule, ExtensionRule, PromptRule, ToolRule } from './rule.js'

/** The properties of a TypeBox object, by name. */
interface ObjectShape {
  readonly properties: Readonly<Record<string, unknown>>
}

const PROMPT_FIELDS = fieldsOf(PromptDocument)
const MESSAGE_FIELDS = fieldsOf(AuthoredMessage)
const TOOL_FIELDS = fieldsOf(ToolDocument)
const AGENT_FIELDS = fieldsOf(AgentDocument)
const AGENT_PARTS = ['approvals', 'guards', 'limits', 'context'] as const
const EXTENSION_FIELDS = fieldsOf(ExtensionFrame)
const CONTRIBUTES_FIELDS = ['prompts', 'languages', 'dependences']
const PARTS: Readonly<Record<'restful' | 'grpc' | 'mcp', readonly string[]>> = {
  restful: ['url', 'method'],
  grpc: ['url', 'method'],
  mcp: ['url', 'server', 'tool'],
}

/** Parameters of models that authors write beside the prompt instead of into its `options`. */
const MODEL_PARAMETERS: ReadonlySet<string> = new Set([
  ...['temperature', 'top_p', 'top_k', 'max_tokens', 'max_completion_tokens', 'stop', 'seed', 'n', 'stream'],
  ...['presence_penalty', 'frequency_penalty', 'response_format', 'reasoning_effort', 'tool_choice'],
])

/** What authors call the text of a prompt elsewhere. */
const BODY_NAMES: ReadonlySet<string> = new Set([
  'template',
  'text',
  'content',
  'system',
  'user',
  'systemPrompt',
])

/** What authors call the instructions of an agent elsewhere. */
const SYSTEM_NAMES: ReadonlySet<string> = new Set([
  'system',
  'systemPrompt',
  'system_prompt',
  'userPrompt',
  'messages',
])

/** The merge key of YAML. It is not supported, which the YAML reader reports. */
const MERGE_KEY = '<<'

/** Number of unknown fields to report. */
const FEW_FIELDS = 8

/** A field of a prompt that means nothing here. */
export const unknownPromptField: PromptRule = function* ({ document }) {
  yield* unknownIn(document, PROMPT_FIELDS, [])
  const messages = own(document, 'messages')
  for (const [index, message] of (Array.isArray(messages) ? messages : []).entries())
    yield* unknownIn(message, MESSAGE_FIELDS, ['messages', index])
}

/** A field of a tool that means nothing here. */
export const unknownToolField: ToolRule = function* ({ document }) {
  yield* unknownIn(document, TOOL_FIELDS, [])
  for (const [name, fields] of Object.entries(PARTS)) yield* unknownIn(own(document, name), fields, [name])
}

/** A field of an agent that means nothing here. */
export const unknownAgentField: AgentRule = function* ({ document }) {
  yield* unknownIn(document, AGENT_FIELDS, [])
  for (const name of AGENT_PARTS) {
    yield* unknownIn(own(document, name), fieldsOf(AgentDocument.properties[name]), [name])
  }
}

/** A field of an extension that means nothing here. */
export const unknownExtensionField: ExtensionRule = function* ({ document }) {
  yield* unknownIn(document, EXTENSION_FIELDS, [])
  yield* unknownIn(own(document, 'contributes'), CONTRIBUTES_FIELDS, ['contributes'])
}

function* unknownIn(
  object: JsonValue | undefined,
  known: readonly string[],
  path: DocumentPath,
): Generator<Advice> {
  if (!isJsonObject(object)) return
  for (const name of Object.keys(object)) {
    if (known.includes(name) || isRemark(name) || name === MERGE_KEY) continue
    const where = path.length === 0 ? '' : ` in ${describePath(path)}`
    yield {
      message: `unknown field ${name}${where}`,
      hint: hintFor(name, known, object),
      place: { path: [...path, name], isName: true },
    }
  }
}

/** Fields for people and other programs. */
function isRemark(name: string): boolean {
  return name.startsWith('x-') || name.startsWith('$') || name.startsWith('_')
}

function hintFor(name: string, known: readonly string[], object: JsonObject): string | undefined {
  const [near] = nearNames(
    name,
    known.filter((field) => !Object.hasOwn(object, field)),
  )
  if (near !== undefined) return `did you mean ${near}?`
  const [present] = nearNames(name, known)
  if (present !== undefined) return `${present} is there already`
  if (known === EXTENSION_FIELDS && CONTRIBUTES_FIELDS.includes(name))
    return `write it under contributes: { ${name}: … }`
  if (known === AGENT_FIELDS && SYSTEM_NAMES.has(name))
    return 'the system message of an agent is instructions'
  if (known.length <= FEW_FIELDS) return `it takes ${known.join(', ')}`
  if (known !== PROMPT_FIELDS && known !== AGENT_FIELDS) return undefined
  if (MODEL_PARAMETERS.has(name)) return `write it under options: { ${name}: … }`
  return known === PROMPT_FIELDS && BODY_NAMES.has(name)
    ? 'the text of a prompt is userPrompt, or messages'
    : undefined
}

function fieldsOf(shape: ObjectShape): readonly string[] {
  return Object.keys(shape.properties)
}
