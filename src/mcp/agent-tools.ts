import type { ChatModels } from '../agents/chat-models.js'
import { awaitTurn } from '../agents/sessions/await-turn.js'
import type { Sessions } from '../agents/sessions/sessions.js'
import type { TurnOutcome } from '../agents/sessions/turn-outcome.js'
import { agentToolName } from '../agents/tools/agent-tool.js'
import { messageText } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import { readCompletion } from '../llm/chat/read-completion.js'
import type { AgentEntry } from '../registry/snapshot.js'
import type { JsonObject } from '../util/json/json.js'
import { objectField, textField } from '../util/json/json-fields.js'
import type { McpCaller } from './mcp-caller.js'
import { invalidParams } from './mcp-failure.js'
import { failedAnswer, type McpTool, type ToolAnswer, textAnswer } from './mcp-tool.js'

/** What asking agents needs. */
export interface AskingDependencies {
  /** Agents that keep nothing. */
  readonly chatModels: ChatModels
  /** Agents that continue with a conversation. */
  readonly sessions: Sessions
}

/** As a session: one that is to begin. */
const NEW_SESSION = 'new'

/** An agent as a tool: one message in, its answer out; a conversation is kept only where a session is named. */
export function agentTool({ id, definition }: AgentEntry, dependencies: AskingDependencies): McpTool {
  const { name, description, parameters } = definition
  return {
    listed: {
      name: agentToolName(id),
      title: name,
      ...(description !== '' && { description }),
      inputSchema: {
        type: 'object',
        properties: {
          input: { type: 'string', description: 'What the agent is asked' },
          session: {
            type: 'string',
            description: `Id of a conversation to continue, or \`${NEW_SESSION}\` to start one; without it nothing is kept`,
          },
          variables: { ...parameters, description: 'The variables of its instructions' },
        },
        required: ['input'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, openWorldHint: true },
    },
    async call(args, caller) {
      const input = textField(args, 'input')
      if (input === undefined)
        throw invalidParams('invalid_request', '`input` is missing: what the agent is asked')
      const question = { agent: id, input, variables: objectField(args, 'variables') }
      const session = textField(args, 'session')
      return session === undefined
        ? askOnce(dependencies.chatModels, question, caller)
        : askInSession(dependencies.sessions, session, question, caller)
    },
  }
}

interface Question {
  readonly agent: string
  readonly input: string
  readonly variables: JsonObject
}

async function askOnce(
  models: ChatModels,
  { agent, input, variables }: Question,
  { call }: McpCaller,
): Promise<ToolAnswer> {
  const request = { model: `agent:${agent}`, messages: [{ role: 'user', content: input }] }
  const { body } = await models.forAgent(agent, variables, undefined).complete(request, call)
  return textAnswer(readCompletion(body).text)
}

/** A turn continues when its client does not wait for it, as over HTTP. */
async function askInSession(
  sessions: Sessions,
  session: string,
  question: Question,
  { owner, call }: McpCaller,
): Promise<ToolAnswer> {
  const { agent, variables } = question
  const { id, agent: known } =
    session === NEW_SESSION
      ? await sessions.create({ owner, agent, variables }, call)
      : await sessions.read({ kind: 'session', id: session, owner })
  if (known !== agent)
    throw new ServiceError('invalid_request', `The session ${id} belongs to the agent ${known}`)
  const input = { content: question.input, stream: false, limits: {} }
  const started = await sessions.turns.start({ kind: 'session', id, owner }, { input, call })
  const { content, ...rest } = answerOf(await awaitTurn(started, call.signal))
  return { ...rest, content: [...content, { type: 'text', text: `session: ${id}` }] }
}

function answerOf(outcome: TurnOutcome): ToolAnswer {
  switch (outcome.kind) {
    case 'completed':
      return textAnswer(messageText(outcome.result.message))
    case 'failed':
      throw outcome.error
    case 'cancelled':
      return failedAnswer('The turn was cancelled')
    case 'paused':
      return failedAnswer(
        outcome.approvals
          .map(({ id, tool }) => `The call of ${tool} waits for approval ${id}, which is given over HTTP`)
          .join('\n'),
      )
  }
}
