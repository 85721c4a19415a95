import type { FastifyPluginAsync } from 'fastify'
import type { Sessions } from '../../agents/sessions/sessions.js'
import { AgentChatParams, AgentUiParams, AgUiBody, UiChatBody } from '../../schema/agent-ui-api.js'
import { foreignStreamOf, ProtocolEvent } from '../../schema/streams.js'
import { Type } from '../../schema/type.js'
import { UiChats } from '../agent-ui/ui-chats.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { resumeUiMessages, runAgUi, streamUiMessages } from '../handlers/agent-ui.js'
import { operations } from '../openapi/operations.js'

export interface AgentUiRoutesOptions {
  readonly sessions: Sessions
  /** How long a stream may be silent before a comment keeps it alive. Default 15 seconds. */
  readonly pingMs?: number | undefined
}

const UI_DESCRIPTION = `For \`useChat\` of the Vercel AI SDK: the chat is a session with its id, made when it is new; only the newest message is
read. The answer is a UI message stream; \`GET …/ui/{chat}/stream\` resumes it. A tool that needs approval is asked for in
the stream, which then ends; \`addToolApprovalResponse\` answers, and the turn continues in the answer to the same message.`
const AG_UI_DESCRIPTION = `For clients of the Agent User Interaction Protocol: the thread is a session with its id, made when it is new; only the
newest message is read. A tool that needs approval ends the run with the outcome \`interrupt\`; the next run answers in
\`resume\` and continues the turn.`

const response = { 200: foreignStreamOf(ProtocolEvent) }
const talks = operations('agents', 400, 401, 403, 404, 409, 413, 415, 429, 500, 503)

const UI = talks('streamUiMessages', 'Chat with an agent, as a UI message stream', {
  description: UI_DESCRIPTION,
  params: AgentUiParams,
  body: UiChatBody,
  response,
})

const RESUME_UI = talks('resumeUiMessages', 'Resume the UI message stream of a chat', {
  description: 'The turn that runs or waits, from its first event; 204 where no turn does.',
  params: AgentChatParams,
  response: { ...response, 204: Type.Null({ description: 'No turn runs or waits' }) },
})

const AG_UI = talks('runAgUi', 'Run an agent, as events of AG-UI', {
  description: AG_UI_DESCRIPTION,
  params: AgentUiParams,
  body: AgUiBody,
  response,
})

/** `/api/agents/{id}/ui` and `/api/agents/{id}/ag-ui`: sessions in the words of two user interface libraries. */
export function agentUiRoutes({ sessions, pingMs }: AgentUiRoutesOptions): FastifyPluginAsync {
  const dependencies = { chats: new UiChats(sessions), pingMs }
  return async (server) => {
    needsScopes(server, 'agents')
    server.post('/api/agents/:id/ui', UI, streamUiMessages(dependencies))
    server.get('/api/agents/:id/ui/:chat/stream', RESUME_UI, resumeUiMessages(dependencies))
    server.post('/api/agents/:id/ag-ui', AG_UI, runAgUi(dependencies))
  }
}
