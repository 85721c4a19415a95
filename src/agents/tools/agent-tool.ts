import { localTool } from '../../tools/local-tool.js'
import type { Tool } from '../../tools/toolbox.js'
import type { CallContext } from '../../util/call-context.js'
import { type JsonObject, type JsonValue, own } from '../../util/json.js'

/** An agent that others may call. */
export interface CallableAgent {
  readonly id: string
  readonly description: string
  /** One turn without a memory; answers with what the agent says. */
  run(input: string, context: CallContext): Promise<JsonValue>
}

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

/** An agent as a tool of another: it gets one input, and its answer is the result. */
export function agentTool({ id, description, run }: CallableAgent): Tool {
  return localTool({
    name: agentToolName(id),
    description: description === '' ? `Asks the agent ${id}` : description,
    parameters: PARAMETERS,
    execute: (args, context) => run(String(own(args, 'input') ?? ''), context),
  })
}
