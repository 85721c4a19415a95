import { messageText } from '../conversation/message.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { type CatalogAgentsDependencies, createCatalogAgents } from './catalog-agents.js'
import type { TurnResult } from './cycle/turn-event.js'
import { MAX_AGENT_DEPTH } from './limits.js'
import type { AgentSource } from './prepared-agent.js'
import { type AgentRuns, runAgent } from './run-agent.js'
import { AgentTool, type ReportUsage } from './tools/agent-tool.js'

export interface AgentsDependencies extends AgentRuns, Omit<CatalogAgentsDependencies, 'agentTool'> {}

/** The agents of the catalog, which may have each other as tools. */
export function createAgents({
  model,
  hooks,
  toolTimeoutMs,
  counter,
  tracer,
  ...dependencies
}: AgentsDependencies): AgentSource {
  const runs: AgentRuns = { model, hooks, toolTimeoutMs, counter, tracer }
  const agents = createCatalogAgents({
    ...dependencies,
    agentTool({ id, definition: { description } }, variables, depth) {
      if (depth > MAX_AGENT_DEPTH) return undefined
      return new AgentTool({
        id,
        description,
        run: (input, call, spend) => runNested(id, variables, depth, { input, call, spend }),
        tools: () => agents.toolsOf(id, variables, depth),
      })
    },
  })

  async function runNested(
    id: string,
    variables: JsonObject,
    depth: number,
    {
      input,
      call,
      spend,
    }: { readonly input: string; readonly call: CallContext; readonly spend: ReportUsage },
  ): Promise<JsonValue> {
    const agent = await agents.prepareNested(id, { variables, call }, depth)
    const messages = [{ role: 'user', content: input }] as const
    return answerOf(await runAgent({ ...runs, agent, messages, streamed: false, call, spend }).result)
  }
  return agents
}

function answerOf({ value, boxed, message }: TurnResult): JsonValue {
  return value ?? boxed ?? messageText(message)
}
