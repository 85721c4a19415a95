import { MAX_MEMORY_KEY_CHARACTERS, MAX_MEMORY_VALUE_BYTES } from '../../state/limits.js'
import { localTool } from '../../tools/local-tool.js'
import type { Tool } from '../../tools/toolbox.js'
import type { CallContext } from '../../util/call-context.js'
import { type JsonObject, own } from '../../util/json/json.js'

/** The tool's name: an agent that lists it may write into its session's memory. */
export const SESSION_MEMORY_SET = 'session_memory_set'

/** Writes a value under a key into the memory of the session that a call is for. */
type SetMemory = (key: string, value: string, call: CallContext) => Promise<void>

/** Lets a model remember something for the rest of its session, in all of its contexts. */
export function sessionMemoryTool(set: SetMemory): Tool {
  return localTool({
    name: SESSION_MEMORY_SET,
    description:
      'Remembers a value under a key for the rest of this session. It is shown at the end of the system prompt from the next turn on.',
    idempotent: true,
    parameters: {
      type: 'object',
      properties: {
        key: { type: 'string', minLength: 1, maxLength: MAX_MEMORY_KEY_CHARACTERS },
        value: { type: 'string', maxLength: MAX_MEMORY_VALUE_BYTES },
      },
      required: ['key', 'value'],
      additionalProperties: false,
    },
    async execute(args: JsonObject, call) {
      await set(String(own(args, 'key')), String(own(args, 'value')), call)
      return 'remembered'
    },
  })
}
