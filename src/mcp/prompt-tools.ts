import { mayRead } from '../access/may-read.js'
import type { PromptEntry } from '../registry/snapshot.js'
import type { JsonObject } from '../util/json/json.js'
import { objectField, textField } from '../util/json/json-fields.js'
import { writtenJson } from '../util/json/json-pieces.js'
import { isSmall } from '../util/slices/is-small.js'
import { doGuarded, type RenderingDependencies, renderedMessages, renderFor } from './get-prompt.js'
import { toListed } from './list-prompts.js'
import type { McpCaller } from './mcp-caller.js'
import { invalidParams } from './mcp-failure.js'
import { type McpTool, type ToolAnswer, textAnswer } from './mcp-tool.js'
import { catalogSection, pageOf } from './page.js'

const READ_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }

/** For clients that know only tools: the catalog's prompts, to find and to render. */
export function promptTools(dependencies: RenderingDependencies): readonly McpTool[] {
  return [
    {
      listed: {
        name: 'list_prompts',
        title: 'List prompts',
        description: 'Finds prompts of the catalog: their ids, descriptions and variables, 100 at a time.',
        inputSchema: {
          type: 'object',
          properties: {
            query: { type: 'string', description: 'Only prompts whose id or description holds this text' },
            cursor: { type: 'string', description: '`nextCursor` of the page before' },
          },
          additionalProperties: false,
        },
        annotations: READ_ONLY,
      },
      call: (args, caller) => listForTools(dependencies, args, caller),
    },
    {
      listed: {
        name: 'render_prompt',
        title: 'Render a prompt',
        description: 'Renders a prompt of the catalog with variables, and answers its messages.',
        inputSchema: {
          type: 'object',
          properties: {
            id: { type: 'string', description: 'The id of the prompt, as list_prompts returns it' },
            variables: { type: 'object', description: 'The variables of the prompt, as JSON' },
          },
          required: ['id'],
          additionalProperties: false,
        },
        annotations: READ_ONLY,
      },
      call: (args, caller) => renderForTools(dependencies, args, caller),
    },
  ]
}

async function listForTools(
  dependencies: RenderingDependencies,
  args: JsonObject,
  caller: McpCaller,
): Promise<ToolAnswer> {
  const { current, servedTo } = dependencies.registry
  const { access } = caller
  const { prompts } = servedTo(current, { bound: access.labels })
  const query = textField(args, 'query') ?? ''
  const lower = () => query.toLowerCase()
  const wanted = isSmall(query) ? lower() : doGuarded(dependencies, caller, ['tools/call', query], lower)
  const section = catalogSection('prompts', prompts, (prompt: PromptEntry, id) =>
    mayRead(access, 'templates', id) && holds(prompt, wanted) ? shownTo(prompt) : undefined,
  )
  const { rows, nextCursor } = await pageOf([section], textField(args, 'cursor'))
  return jsonAnswer({ prompts: rows, ...(nextCursor !== undefined && { nextCursor }) })
}

function holds({ id, definition: { name, description } }: PromptEntry, wanted: string): boolean {
  return `${id}\n${name}\n${description}`.toLowerCase().includes(wanted)
}

/** With the schema of the variables: a model can write typed JSON. */
function shownTo(prompt: PromptEntry): JsonObject {
  const { name, description = '' } = toListed(prompt)
  return { id: name, description, variables: prompt.definition.parameters }
}

async function renderForTools(
  dependencies: RenderingDependencies,
  args: JsonObject,
  caller: McpCaller,
): Promise<ToolAnswer> {
  const id = textField(args, 'id')
  if (id === undefined) throw invalidParams('invalid_request', '`id` is missing: the id of a prompt')
  const variables = () => objectField(args, 'variables')
  const { rendered } = await renderFor(dependencies, caller, id, {
    given: variables,
    variablesFor: variables,
  })
  const { warnings } = rendered
  if (rendered.kind === 'prompt' && warnings.length === 0) return textAnswer(rendered.text)
  const shown = warnings.map(({ message }) => message)
  return jsonAnswer({ messages: renderedMessages(rendered), ...(shown.length > 0 && { warnings: shown }) })
}

/** JSON for programs, and the same as text for models. */
export async function jsonAnswer(value: JsonObject): Promise<ToolAnswer> {
  return { ...textAnswer(await writtenJson(value)), structuredContent: value }
}
