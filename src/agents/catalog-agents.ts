import { randomInt } from 'node:crypto'
import { ServiceError } from '../errors.js'
import { modelOf } from '../prompts/chat.js'
import { nothingChosen } from '../prompts/nothing-chosen.js'
import type { ProtocolId } from '../protocols/protocol.js'
import { protocolOfModel } from '../protocols/protocol-of-model.js'
import { toolProtocol } from '../protocols/tool-protocol.js'
import type { AgentDefinition } from '../registry/agent-definition.js'
import { agentEntry } from '../registry/agent-entry.js'
import { assertReady } from '../registry/assert-ready.js'
import { carriedIn, withoutStamp } from '../registry/carried-prompts.js'
import { choose, type LabelRules } from '../registry/choose.js'
import { inBucket, versionOf } from '../registry/life.js'
import { placeInCatalog } from '../registry/place-in-catalog.js'
import { isStamped } from '../registry/read-version.js'
import type { Registry } from '../registry/registry.js'
import type { AgentEntry, Diagnostic, Label, Snapshot } from '../registry/snapshot.js'
import { catalogTools } from '../tools/catalog-tools.js'
import type { ToolCaller } from '../tools/tool.js'
import { createToolbox, joinToolboxes, NO_TOOLS, type Tool, type Toolbox } from '../tools/toolbox.js'
import { copyInto } from '../util/define.js'
import { unknownName } from '../util/errors/unknown-name.js'
import { type JsonObject, type JsonValue, parseObject } from '../util/json/json.js'
import type { Clock } from '../util/time/clock.js'
import { splitChoice } from '../versions/prompt-choice.js'
import { ALL_SHARES } from '../versions/release-document.js'
import { bucketOf, keyIn } from '../versions/split.js'
import { AGENT_PROMPTS, type AgentPromptDependencies, AgentPrompts } from './agent-prompts.js'
import { chooseTools } from './choose-tools.js'
import type { CyclePrompts } from './cycle/cycle-setup.js'
import { DEFAULT_CYCLE_PROMPTS } from './cycle/turn.js'
import { finalPrompt, ROLE_PROMPTS } from './guards/final-answer.js'
import type { AgentRequest, AgentSource, PinnedAgent, PreparedAgent, ServedAgent } from './prepared-agent.js'
import { joinLayers } from './system-prompt.js'
import { agentToolName } from './tools/agent-tool.js'
import { PermissionChecker, type PermissionRules } from './tools/permission.js'

export interface CatalogAgentsDependencies extends AgentPromptDependencies {
  readonly registry: Pick<Registry, 'compiled' | 'current' | 'status' | 'labels' | 'scopeOf'>
  readonly caller: ToolCaller
  /** For agents that name no model, and whose prompt names none. */
  readonly defaultModel: string | undefined
  readonly clock: Clock
  /**
   * An agent as a tool of another one, at nesting level `depth`: 1 for the first. Undefined beyond the maximum level.
   * Default: agents cannot be called.
   */
  readonly agentTool?: (agent: AgentEntry, variables: JsonObject, depth: number) => Tool | undefined
}

/** Prepares agents at a nesting level of tool calls: 0 for the agent that the client talks to. */
export interface NestedAgents extends AgentSource {
  prepareNested(id: string, request: AgentRequest, depth: number): Promise<PreparedAgent>
  /** The tools that it would have. @throws ServiceError as preparing it does */
  toolsOf(id: string, variables: JsonObject, depth: number): readonly Tool[]
}

/** How an agent names another one as a tool. */
const AGENT_TOOL = 'agent:'
/** Of the options of agents and prompts: said elsewhere in a request, or ours. */
const NOT_SENT: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'tools', 'structured', 'protocol', 'run_tools'],
])

/** The agents of a registry's catalog, prepared from the documents as they are at the time of each turn. */
export function createCatalogAgents(dependencies: CatalogAgentsDependencies): NestedAgents {
  const { registry } = dependencies
  const prepareNested = (id: string, request: AgentRequest, depth: number) => {
    assertReady(registry)
    const snapshot = registry.current
    const found =
      request.pinned === undefined
        ? findStarted(snapshot, id, registry.labels, request)
        : pinnedEntry(id, request.pinned)
    return new Preparation(dependencies, snapshot, found, request, depth).prepare()
  }
  return {
    prepare: async (id, request) => prepareNested(id, request, 0),
    prepareNested: async (id, request, depth) => prepareNested(id, request, depth),
    toolsOf: (id, variables, depth) => {
      const snapshot = registry.current
      const { entry } = findAgent(snapshot, id, registry.labels, () => undefined)
      return toolboxOf(dependencies, snapshot, entry, { variables }, depth).list()
    },
  }
}

function pinnedEntry(text: string, { revision, document }: PinnedAgent): FoundAgent {
  const { id } = splitChoice(text)
  const place = { revision, location: `agents/${id}, as it was` }
  const carried = isStamped(document) ? carriedIn(document, place) : undefined
  return { entry: agentEntry(id.split('.'), withoutStamp(document), place, carried), served: undefined }
}

/** An agent, and which version of it. */
export interface FoundAgent {
  readonly entry: AgentEntry
  /** undefined for its draft. */
  readonly served: ServedAgent | undefined
}

/** What decides about the share of a label that is split; undefined for chance. */
type SplitKey = (sticky: string | undefined) => string | undefined

/** The agent that somebody began with. @throws ServiceError `version_gone` when it is another one by now */
function findStarted(
  snapshot: Snapshot,
  id: string,
  labels: LabelRules,
  { digest, variables, call }: AgentRequest,
): FoundAgent {
  const splitKey: SplitKey = (sticky) => call.splitKey ?? keyIn(sticky, () => variables) ?? call.session
  if (digest === undefined) return findAgent(snapshot, id, labels, splitKey)
  const { id: bare, choice } = splitChoice(id)
  const life = snapshot.agentLives.get(bare)
  const version = life && choice?.version !== undefined ? versionOf(life, choice.version) : undefined
  if (version?.digest === digest) return { entry: version.agent, served: version }
  const message = `The agent ${JSON.stringify(id)} that this began with is not there any more`
  throw new ServiceError('version_gone', message, { param: 'agent', details: { digest } })
}

/**
 * An agent of the catalog: a version where its id or `PROMPT_LABEL` names one.
 *
 * @throws ServiceError `agent_not_found` with near names, `version_not_found`, `label_not_found`, `release_unusable`,
 * `invalid_agent` for a document without a good version
 */
export function findAgent(
  snapshot: Snapshot,
  text: string,
  labels: LabelRules,
  splitKey: SplitKey,
): FoundAgent {
  const { id, choice } = splitChoice(text)
  // A document of before there were versions may be named like one.
  const plain = choice?.version === undefined ? undefined : snapshot.agents.get(text)
  if (plain !== undefined) return { entry: plain, served: undefined }
  const shelf = { heads: snapshot.agents, lives: snapshot.agentLives }
  const chosen = choose(shelf, id, { ...choice }, labels)
  if (chosen.kind === 'head') {
    if (chosen.isUnreleased) labels.noteUnreleased(chosen.head)
    return { entry: chosen.head, served: undefined }
  }
  if (chosen.kind === 'version') {
    const { targets, label } = chosen
    const bucket = targets.length > 1 ? bucketFor(id, label, splitKey) : 0
    const version = inBucket(targets, bucket)
    return { entry: version.agent, served: version }
  }
  const isKnown = snapshot.agents.has(id) || snapshot.agentLives.has(id)
  if (isKnown && chosen.reason !== 'unknown') throw nothingChosen('agent', { id, ...choice }, chosen)
  throw missingAgent(snapshot, id)
}

function bucketFor(
  id: string,
  label: Pick<Label, 'name' | 'sticky'> | undefined,
  splitKey: SplitKey,
): number {
  const key = splitKey(label?.sticky)
  return key === undefined ? randomInt(ALL_SHARES) : bucketOf(id, label?.name ?? '', key)
}

/** Why an agent is not served: its document is broken or missing; if it is missing, with near ids. */
export function missingAgent(snapshot: Snapshot, id: string): ServiceError {
  const broken = snapshot.diagnostics.find(
    (each) => each.kind === 'agents' && each.id === id && each.severity === 'error',
  )
  return broken === undefined ? unknownAgent(snapshot, id) : brokenAgent(broken)
}

function unknownAgent({ agents }: Snapshot, id: string): ServiceError {
  const problem = `No agent has the id ${JSON.stringify(id)}`
  return unknownName('agent_not_found', problem, id, agents.ids(), 'agent')
}

function brokenAgent(broken: Diagnostic): ServiceError {
  const { code, message, line, column } = broken
  const details = { location: placeInCatalog(broken), code, line, column }
  return new ServiceError('invalid_agent', message, { param: 'agent', details })
}

/** Agents that are tools are known to the loop by the names of their functions. */
function permissionsOf({ approvals: { ask, deny } }: AgentDefinition): PermissionRules {
  const named = (name: string) =>
    name.startsWith(AGENT_TOOL) ? agentToolName(name.slice(AGENT_TOOL.length)) : name
  return { ask: ask.map(named), deny: deny.map(named) }
}

/** The tools of an agent: those of the catalog, those that the caller supplies, and other agents. */
function toolboxOf(
  { caller, agentTool }: CatalogAgentsDependencies,
  snapshot: Snapshot,
  { definition: { tools: named } }: AgentEntry,
  { variables, tools: given = NO_TOOLS }: Pick<AgentRequest, 'variables' | 'tools'>,
  depth: number,
): Toolbox {
  const agents = named.filter((name) => name.startsWith(AGENT_TOOL))
  const others = named.filter((name) => !name.startsWith(AGENT_TOOL))
  const chosen = chooseTools(catalogTools(snapshot, caller), others)
  const added = [
    // Only a name, no pattern, lists what is brought along.
    ...named.flatMap((name) => given.get(name) ?? []),
    ...agents.flatMap((name) => {
      const agent = snapshot.agents.get(name.slice(AGENT_TOOL.length))
      return (agent && agentTool?.(agent, variables, depth + 1)) ?? []
    }),
  ]
  return added.length === 0 ? chosen : joinToolboxes(chosen, createToolbox(added))
}

/** The agent's document with the prompts and agents of its version, so that a pinned agent never changes. */
function documentOf({ document, carried, source }: AgentEntry): JsonObject {
  return (carried === undefined ? undefined : source && parseObject(source.text)) ?? document
}

/** One agent on its way from its document to a turn. */
class Preparation {
  readonly #dependencies: CatalogAgentsDependencies
  readonly #snapshot: Snapshot
  readonly #entry: AgentEntry
  readonly #served: ServedAgent | undefined
  readonly #request: AgentRequest
  readonly #depth: number
  readonly #prompts: AgentPrompts

  constructor(
    dependencies: CatalogAgentsDependencies,
    snapshot: Snapshot,
    { entry, served }: FoundAgent,
    request: AgentRequest,
    depth: number,
  ) {
    this.#dependencies = dependencies
    this.#snapshot = snapshot
    this.#entry = entry
    this.#served = served
    this.#request = request
    this.#depth = depth
    this.#prompts = new AgentPrompts(dependencies, { snapshot, call: request.call, carried: entry.carried })
  }

  async prepare(): Promise<PreparedAgent> {
    const { id, revision, definition } = this.#entry
    const toolbox = toolboxOf(this.#dependencies, this.#snapshot, this.#entry, this.#request, this.#depth)
    const own = this.#ownVariables(toolbox)
    const permissions = new PermissionChecker(permissionsOf(definition))
    return {
      id,
      revision,
      system: await this.#system(own),
      model: this.#model(),
      parameters: this.#parameters(),
      toolbox,
      permission: ({ name }) => permissions.decide(name),
      protocol: this.#protocol(),
      answer: definition.answer,
      agentRole: definition.agentRole,
      guards: definition.guards,
      limits: definition.limits,
      context: definition.context,
      prompts: this.#cyclePrompts(own),
      document: documentOf(this.#entry),
      served: this.#served && { number: this.#served.number, digest: this.#served.digest },
    }
  }

  /** Role, then prompt, then instructions. */
  async #system(own: JsonObject): Promise<string | undefined> {
    const { definition, instructions } = this.#entry
    const { variables } = this.#request
    const named = await this.#prompts.named(AGENT_PROMPTS.system, own)
    const agent = instructions && (await this.#prompts.text(instructions, variables))
    const prompt = await this.#promptText()
    // A caller that describes the agent has described its purpose; a role other than the default was chosen.
    const isTold = definition.agentRole === 'main' && joinLayers(prompt, agent) !== undefined
    return joinLayers(named ?? (isTold ? undefined : ROLE_PROMPTS[definition.agentRole]), prompt, agent)
  }

  async #promptText(): Promise<string | undefined> {
    const { id, definition } = this.#entry
    if (definition.prompt === undefined) return undefined
    const text = await this.#prompts.named(definition.prompt, this.#request.variables)
    if (text !== undefined) return text
    const problem = `The prompt ${JSON.stringify(definition.prompt)} of the agent ${JSON.stringify(id)} is not there`
    throw unknownName('prompt_not_found', problem, definition.prompt, this.#snapshot.prompts.ids(), 'agent')
  }

  #model(): string {
    const { definition } = this.#entry
    const prompt = this.#prompt()
    const asked: JsonObject = definition.model === undefined ? {} : { model: definition.model }
    return modelOf({ ...definition.options, ...asked }, prompt, this.#dependencies.defaultModel)
  }

  #parameters(): JsonObject {
    const parameters: Record<string, JsonValue> = {}
    copyInto(parameters, this.#prompt()?.options ?? {}, NOT_SENT)
    copyInto(parameters, this.#entry.definition.options, NOT_SENT)
    return parameters
  }

  #prompt(): (Pick<AgentDefinition, 'options'> & { readonly model: string | undefined }) | undefined {
    const { prompt } = this.#entry.definition
    return prompt === undefined ? undefined : this.#prompts.find(prompt)?.definition
  }

  #protocol(): ProtocolId {
    return protocolOfModel(this.#entry.definition.protocol, this.#model())
  }

  /** What the loop's own prompts may read, beside what each is about. */
  #ownVariables(toolbox: Toolbox): JsonObject {
    const { agentRole: role } = this.#entry.definition
    const protocol = this.#protocol()
    const now = new Date(this.#dependencies.clock.now())
    const instructions = protocol === 'native' ? '' : toolProtocol(protocol).instructions(toolbox.list(), now)
    return { tool_instructions: instructions, date: now.toISOString().slice(0, 10), role }
  }

  #cyclePrompts(own: JsonObject): CyclePrompts {
    const { prompts } = this.#snapshot
    return {
      ...DEFAULT_CYCLE_PROMPTS,
      ...(prompts.has(AGENT_PROMPTS.final) && {
        final: async ({ agentRole, boxed, task }) =>
          (await this.#prompts.named(AGENT_PROMPTS.final, { ...own, role: agentRole, boxed, task })) ??
          finalPrompt({ agentRole, boxed, task }),
      }),
      ...(prompts.has(AGENT_PROMPTS.note) && {
        note: async (note) => (await this.#prompts.named(AGENT_PROMPTS.note, { ...own, note })) ?? note,
      }),
    }
  }
}
