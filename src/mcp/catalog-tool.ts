import type { Snapshot, ToolEntry } from '../registry/snapshot.js'
import { toTool } from '../tools/catalog-tools.js'
import type { ToolCaller, ToolOutcome } from '../tools/tool.js'
import { isJsonObject } from '../util/json/json.js'
import { writtenJson } from '../util/json/json-pieces.js'
import { failedAnswer, inputSchemaOf, type McpTool, type ToolAnswer, textAnswer } from './mcp-tool.js'
import { jsonAnswer } from './prompt-tools.js'

/**
 * A tool of the catalog over MCP; undefined for one whose document says `ask` or `deny` of calls that a model asks for:
 * there is nobody here who could be asked.
 */
export function catalogTool(
  entry: ToolEntry,
  snapshot: Pick<Snapshot, 'context'>,
  caller: ToolCaller,
): McpTool | undefined {
  const { functionName, definition } = entry
  const { approval = 'allow', name, description, parameters, readOnly, idempotent } = definition
  if (approval !== 'allow') return undefined
  const tool = toTool(entry, caller, snapshot.context)
  return {
    listed: {
      name: functionName,
      ...(name !== functionName && { title: name }),
      ...(description !== '' && { description }),
      inputSchema: inputSchemaOf(parameters),
      annotations: { readOnlyHint: readOnly, idempotentHint: idempotent, openWorldHint: true },
    },
    call: async (args, { call }) => toAnswer(await tool.call(args, call)),
  }
}

async function toAnswer(outcome: ToolOutcome): Promise<ToolAnswer> {
  if (!outcome.ok) return failedAnswer(`${outcome.code}: ${outcome.message}`)
  const { value } = outcome
  if (isJsonObject(value)) return jsonAnswer(value)
  return textAnswer(typeof value === 'string' ? value : await writtenJson(value))
}
