import type { Usage } from '../../llm/model.js'
import { localTool } from '../../tools/local-tool.js'
import type { ToolOutcome } from '../../tools/tool.js'
import type { Tool } from '../../tools/toolbox.js'
import type { CallContext } from '../../util/call-context.js'
import { type JsonObject, type JsonValue, own } from '../../util/json/json.js'

/** An agent that others may call. */
export interface CallableAgent {
  readonly id: string
  readonly description: string
  /** Runs one turn without memory and returns the agent's answer. `spend` is called for every model call. */
  run(input: string, context: CallContext, spend: ReportUsage): Promise<JsonValue>
  /** Its tools as they are now, those of agents among them too. Default: nothing is known of them. */
  readonly tools?: () => readonly Tool[]
}

/** Called with the usage of a model call; the cost is in the currency of the configured prices. */
export type ReportUsage = (usage: Usage | undefined, cost: number | undefined) => void

const PARAMETERS: JsonObject = {
  type: 'object',
  properties: {
    input: { type: 'string', description: 'What the agent is to do, with everything it has to know' },
  },
  required: ['input'],
  additionalProperties: false,
}

/** The name of an agent as a function. */
export function agentToolName(id: string): string {
  return `agent_${id.replace(/[^A-Za-z0-9_-]/g, '_')}`
}

/** An agent as a tool of another: it gets one input, and its answer is the result. What it uses is its caller's to pay. */
export class AgentTool implements Tool {
  readonly name: string
  readonly description: string
  readonly parameters = PARAMETERS
  readonly #agent: CallableAgent

  constructor(agent: CallableAgent) {
    this.#agent = agent
    this.name = agentToolName(agent.id)
    this.description = agent.description === '' ? `Asks the agent ${agent.id}` : agent.description
  }

  /**
   * Whether the call may be repeated: if all tools of the agent only read. A repeated call to a tool that writes would
   * get a different idempotency key, because the model assigns new ids to its calls.
   */
  get idempotent(): boolean {
    const tools = this.#agent.tools?.()
    return (
      tools?.every((tool) => tool.readOnly === true || (tool instanceof AgentTool && tool.idempotent)) ??
      false
    )
  }

  call(args: JsonObject, context: CallContext): Promise<ToolOutcome> {
    return this.spending(() => {}).call(args, context)
  }

  /** This tool for one call whose cost is counted. */
  spending(spend: ReportUsage): Tool {
    const { name, description, parameters } = this
    return localTool({
      name,
      description,
      parameters,
      execute: (args, context) => this.#agent.run(String(own(args, 'input') ?? ''), context, spend),
    })
  }
}
