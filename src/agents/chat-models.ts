import { ServiceError } from '../errors.js'
import type { AnsweringModel, ModelRequest } from '../llm/model.js'
import type { PreparedChat } from '../prompts/chat.js'
import { protocolOfModel } from '../protocols/protocol-of-model.js'
import { toolProtocol } from '../protocols/tool-protocol.js'
import type { ProtocolChoice } from '../schema/protocol-id.js'
import { catalogTools } from '../tools/catalog-tools.js'
import type { ToolCaller } from '../tools/tool.js'
import { invalidInput } from '../util/errors/invalid-input.js'
import { type JsonObject, own } from '../util/json/json.js'
import type { Clock } from '../util/time/clock.js'
import { chooseTools } from './choose-tools.js'
import { createLoopModel, type LoopModel } from './loop-model.js'
import { PLAIN_AGENT } from './plain-agent.js'
import type { AgentSource } from './prepared-agent.js'
import { createProtocolModel } from './protocol-model.js'
import type { AgentRuns } from './run-agent.js'

export interface ChatModelsDependencies extends AgentRuns {
  readonly agents: AgentSource
  readonly caller: ToolCaller
  readonly clock: Clock
}

/** Who answers a chat, where it is not simply the model. */
export interface ChatModels {
  /** For a prompt whose tools run here, or a model that writes its calls as text; undefined: the model itself. */
  forChat(chat: Pick<PreparedChat, 'runs' | 'protocol'>): AnsweringModel | undefined
  /** For a prompt whose tools run here. */
  forTools(runs: NonNullable<PreparedChat['runs']>, protocol: ProtocolChoice | undefined): LoopModel
  /** For a request as it came. */
  forProtocol(protocol: ProtocolChoice | undefined): AnsweringModel | undefined
  /** An agent of the catalog: its tools run here, and nothing of the conversation is kept. */
  forAgent(id: string, variables: JsonObject, protocol: ProtocolChoice | undefined): LoopModel
}

/** Creates what answers chats with tools, protocols and agents. */
export function createChatModels(dependencies: ChatModelsDependencies): ChatModels {
  const { model, hooks, agents, caller, clock, toolTimeoutMs, counter, tracer } = dependencies
  const loop = { model, hooks, clock, tracer, toolTimeoutMs, counter }

  function forProtocol(protocol: ProtocolChoice | undefined): AnsweringModel | undefined {
    if (protocol === undefined || protocol === 'native') return undefined
    const modelFor = (name: string) => {
      const id = protocolOfModel(protocol, name)
      return id === 'native' ? model : createProtocolModel(model, toolProtocol(id), clock)
    }
    return {
      complete: (request, options) => modelFor(request.model).complete(request, options),
      stream: (request, options) => modelFor(request.model).stream(request, options),
    }
  }

  const forTools: ChatModels['forTools'] = (runs, protocol = 'native') => {
    const toolbox = chooseTools(catalogTools(runs.snapshot, caller), runs.tools)
    const prepare = ({ model: name }: ModelRequest) => ({
      ...PLAIN_AGENT,
      model: name,
      toolbox,
      protocol: protocolOfModel(protocol, name),
    })
    return createLoopModel({ ...loop, prepare })
  }

  return {
    forProtocol,
    forTools,
    forChat: ({ runs, protocol }) => (runs === undefined ? forProtocol(protocol) : forTools(runs, protocol)),
    forAgent: (id, variables, protocol) =>
      createLoopModel({
        ...loop,
        async prepare(request, call) {
          refuseTools(request)
          const agent = await agents.prepare(id, { variables, call }).catch(atModel)
          return protocol === undefined
            ? agent
            : { ...agent, protocol: protocolOfModel(protocol, agent.model) }
        },
      }),
  }
}

/** Here the request names its agent as its model. @throws what it is given, about `model` */
function atModel(error: unknown): never {
  if (!(error instanceof ServiceError) || error.param !== 'agent') throw error
  const { code, message, status, details, omittedCount, headers } = error
  throw new ServiceError(code, message, {
    param: 'model',
    cause: error,
    status,
    details,
    omittedCount,
    headers,
  })
}

/** The tools of an agent are its document's: those of a request could be called by nobody. */
function refuseTools(request: ModelRequest): void {
  const tools = own(request, 'tools')
  if (!Array.isArray(tools) || tools.length === 0) return
  const message = '`tools` cannot be given to an agent: it has the tools of its document'
  throw invalidInput('tools', message)
}
