import { invalidField } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { listField, textField } from '../../util/json/json-fields.js'

/**
 * The tools of a request to Anthropic's messages interface, and which of them may or must be called, as fields of a chat
 * request.
 *
 * @throws ServiceError `invalid_request` naming a tool that is Anthropic's own: those run there and not here
 */
export function readTools(request: JsonObject): JsonObject {
  const given = own(request, 'tools')
  if (given !== undefined && given !== null && !Array.isArray(given)) {
    throw invalidField('tools', 'must be a list')
  }
  const tools = listField(request, 'tools').map(toFunction)
  // Servers refuse a choice among no tools.
  return tools.length === 0 ? {} : { tools, ...readChoice(own(request, 'tool_choice')) }
}

function toFunction(tool: JsonValue, index: number): JsonObject {
  const path = `tools.${index}`
  if (!isJsonObject(tool)) throw invalidField(path, 'must be an object')
  const type = own(tool, 'type') ?? 'custom'
  const name = textField(tool, 'name')
  if (type !== 'custom') throw ownTool(path, type, name)
  if (name === undefined) throw invalidField(`${path}.name`, 'is missing')
  const description = textField(tool, 'description')
  const strict = own(tool, 'strict')
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters: own(tool, 'input_schema') ?? { type: 'object' },
      ...(typeof strict === 'boolean' && { strict }),
    },
  }
}

function ownTool(path: string, type: JsonValue, name: string | undefined): Error {
  const who = name === undefined ? '' : ` ("${name}")`
  return invalidField(
    path,
    `has the type ${JSON.stringify(type)}${who}: Anthropic's own tools do not run here, only tools with an \`input_schema\``,
  )
}

function readChoice(choice: JsonValue | undefined): JsonObject {
  if (choice === undefined || choice === null) return {}
  const type = isJsonObject(choice) ? own(choice, 'type') : undefined
  if (!isJsonObject(choice) || typeof type !== 'string') {
    throw invalidField('tool_choice', 'must be an object with a `type`')
  }
  const isSingle = own(choice, 'disable_parallel_tool_use') === true
  return { tool_choice: toChoice(choice, type), ...(isSingle && { parallel_tool_calls: false }) }
}

function toChoice(choice: JsonObject, type: string): JsonValue {
  switch (type) {
    case 'auto':
    case 'none':
      return type
    case 'any':
      return 'required'
    case 'tool': {
      const name = textField(choice, 'name')
      if (name === undefined) throw invalidField('tool_choice.name', 'is missing')
      return { type: 'function', function: { name } }
    }
    default:
      throw invalidField('tool_choice.type', 'must be "auto", "any", "tool" or "none"')
  }
}
