import type { Access } from '../access/access.js'
import { mayRead } from '../access/may-read.js'
import { redactForCaller } from '../access/redact-for-caller.js'
import { agentToolName } from '../agents/tools/agent-tool.js'
import { ServiceError } from '../errors.js'
import type { AgentEntry, Snapshot, ToolEntry } from '../registry/snapshot.js'
import type { ToolCaller } from '../tools/tool.js'
import type { JsonObject } from '../util/json/json.js'
import { isSmall } from '../util/slices/is-small.js'
import { quoted } from '../util/text/quoted.js'
import { type AskingDependencies, agentTool } from './agent-tools.js'
import { catalogTool } from './catalog-tool.js'
import { doGuarded, type RenderingDependencies } from './get-prompt.js'
import type { McpCaller } from './mcp-caller.js'
import { describe, invalidParams } from './mcp-failure.js'
import { failedAnswer, type ListedTool, type McpTool, type ToolAnswer } from './mcp-tool.js'
import { catalogSection, type PageSection, pageOf } from './page.js'
import { promptTools } from './prompt-tools.js'

/** What offering tools over MCP needs. */
export interface OfferedToolsDependencies extends RenderingDependencies, AskingDependencies {
  readonly tools: ToolCaller
  /** Whether the catalog's tools are offered at all. */
  readonly toolsEnabled: boolean
}

/** The tools of one moment: those for prompts, then agents, then the catalog's. */
export interface OfferedTools {
  list(cursor: string | undefined): Promise<{ tools: ListedTool[]; nextCursor?: string }>
  /** A tool's own failure is an answer. @throws McpFailure for an unknown tool */
  call(name: string, args: JsonObject, caller: McpCaller): Promise<ToolAnswer>
}

/** Offers what somebody may use. */
export function offeredTools(
  dependencies: OfferedToolsDependencies,
  snapshot: Snapshot,
  access: Access,
): OfferedTools {
  const own = new Map(promptTools(dependencies).map((tool) => [tool.listed.name, tool]))
  const offer = { ...dependencies, snapshot, access }
  const sections = sectionsOf(offer, own)
  return {
    async list(cursor) {
      const { rows, ...rest } = await pageOf(sections, cursor)
      return { tools: rows.map(({ listed }) => listed), ...rest }
    },
    async call(name, args, caller) {
      const find = () => own.get(name) ?? findTool(offer, name)
      // A short name is looked up in no time: only a long one is worth a slice.
      const tool = isSmall(name) ? find() : doGuarded(dependencies, caller, ['tools/call', name], find)
      if (tool === undefined) throw invalidParams('tool_not_found', `There is no tool ${quoted(name)}`)
      try {
        return await tool.call(args, caller)
      } catch (error) {
        // A model can correct a wrong call if it gets the error.
        if (!(error instanceof ServiceError)) throw error
        const shown = redactForCaller(access, error)
        return failedAnswer(`${shown.code}: ${describe(shown)}`)
      }
    },
  }
}

/** What there is at one moment, and who asks for it. */
interface Offer extends OfferedToolsDependencies {
  readonly snapshot: Snapshot
  readonly access: Access
}

function sectionsOf(offer: Offer, own: ReadonlyMap<string, McpTool>): readonly PageSection<McpTool>[] {
  const { agents, functions } = offer.snapshot
  return [
    { name: 'prompts', ids: () => [...own.keys()], row: (name) => own.get(name) },
    catalogSection('agents', agents, (agent: AgentEntry) => offeredAgent(offer, agent)),
    catalogSection('tools', functions, (tool: ToolEntry, name) =>
      own.has(name) ? undefined : offeredCatalogTool(offer, tool),
    ),
  ]
}

function findTool(offer: Offer, name: string): McpTool | undefined {
  const agent = findAgent(offer.snapshot, name)
  if (agent !== undefined) return offeredAgent(offer, agent)
  const tool = offer.snapshot.functions.get(name)
  return tool && offeredCatalogTool(offer, tool)
}

/** An agent by the name of its tool: there are few agents, and their names lost their dots. */
function findAgent({ agents }: Snapshot, name: string): AgentEntry | undefined {
  const id = agents.ids().find((each) => agentToolName(each) === name)
  return id === undefined ? undefined : agents.get(id)
}

/** An agent for who may ask agents. Seen in lists by who may see it. */
function offeredAgent(offer: Offer, agent: AgentEntry): McpTool | undefined {
  const { access } = offer
  const isTheirs = access.scopes.has('agents') && mayRead(access, 'agents', agent.id)
  return isTheirs ? agentTool(agent, offer) : undefined
}

function offeredCatalogTool(offer: Offer, tool: ToolEntry): McpTool | undefined {
  const { tools, toolsEnabled, snapshot, access } = offer
  const isTheirs = toolsEnabled && access.scopes.has('tools') && mayRead(access, 'tools', tool.id)
  return isTheirs ? catalogTool(tool, snapshot, tools) : undefined
}
