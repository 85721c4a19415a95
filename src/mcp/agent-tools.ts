import type { ChatModels } from '../agents/chat-models.js'
import { readCompletion } from '../llm/chat/read-completion.js'
import type { AgentEntry } from '../registry/snapshot.js'
import type { JsonObject } from '../util/json.js'
import { objectField, textField } from '../util/json-fields.js'
import type { McpCaller } from './mcp-caller.js'
import { invalidParams } from './mcp-failure.js'
import { type McpTool, type ToolAnswer, textAnswer } from './mcp-tool.js'

/** What tools that are agents are named with. */
const PREFIX = 'agent_'

/** The name of an agent's tool: dots are no letters of tool names. */
export function agentToolName(id: string): string {
  return PREFIX + id.replace(/[^\w-]/g, '_')
}

/** An agent as a tool: one message in, its answer out; nothing of the conversation is kept. */
export function agentTool({ id, definition }: AgentEntry, models: ChatModels): McpTool {
  const { name, description, parameters } = definition
  return {
    listed: {
      name: agentToolName(id),
      title: name,
      ...(description !== '' && { description }),
      inputSchema: {
        type: 'object',
        properties: {
          message: { type: 'string', description: 'What the agent is asked' },
          variables: { ...parameters, description: 'The variables of its instructions' },
        },
        required: ['message'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, openWorldHint: true },
    },
    call: (args, caller) => askAgent(models, id, args, caller),
  }
}

async function askAgent(
  models: ChatModels,
  id: string,
  args: JsonObject,
  { call }: McpCaller,
): Promise<ToolAnswer> {
  const content = textField(args, 'message')
  if (content === undefined)
    throw invalidParams('invalid_request', '`message` is missing: what the agent is asked')
  const agent = models.forAgent(id, objectField(args, 'variables'), undefined)
  const request = { model: `agent:${id}`, messages: [{ role: 'user', content }] }
  const { body } = await agent.complete(request, call)
  return textAnswer(readCompletion(body).text)
}
