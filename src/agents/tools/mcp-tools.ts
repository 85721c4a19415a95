import { randomUUID } from 'node:crypto'
import { localTool } from '../../tools/local-tool.js'
import { readMcpResult } from '../../tools/mcp-result.js'
import { ANY_ARGUMENTS, type Tool } from '../../tools/toolbox.js'
import type { McpTarget } from '../../transport/mcp-pool.js'
import { isJsonObject } from '../../util/json/json.js'

/** An MCP server of a program: over HTTP, or a program that it starts. */
export type McpServerAddress = {
  /** Tools are named `<name>_<tool>`. */
  readonly name: string
} & (
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly command: string
      readonly args?: readonly string[]
      readonly env?: Readonly<Record<string, string>>
      readonly cwd?: string
    }
)

/** The tools of a server, and its connection. */
export interface McpTools {
  readonly tools: readonly Tool[]
  close(): Promise<void>
}

const MAX_RESPONSE_BYTES = 8 * 2 ** 20
const CONNECT_TIMEOUT_MS = 10_000
const CALL_TIMEOUT_MS = 60_000

/**
 * Connects to an MCP server and lists its tools, for a `ToolRegistry`. Calls use this connection; the caller closes it.
 *
 * @throws WireError if the server is unreachable or refuses
 */
export async function openMcpTools(address: McpServerAddress): Promise<McpTools> {
  // Read when it is asked for: programs without MCP need none of it.
  const [{ createMcpPool }, { Agent }] = await Promise.all([
    import('../../transport/mcp-pool.js'),
    import('undici'),
  ])
  const dispatcher = new Agent()
  const pool = createMcpPool({
    dispatcher,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    clientName: 'ai-prompt-shell',
    clientVersion: '1',
  })
  const close = async () => {
    await pool.close()
    await dispatcher.close()
  }
  const target = toTarget(address)
  try {
    const listed = await pool.listTools(target)
    const tools = listed.map(({ name, title, description = title, inputSchema, annotations = {} }): Tool => {
      const { readOnlyHint, idempotentHint } = annotations
      const isReadOnly = readOnlyHint === true
      const isIdempotent = idempotentHint === true
      return localTool({
        name: toolName(address.name, name),
        ...(description !== undefined && { description }),
        parameters: isJsonObject(inputSchema) ? inputSchema : ANY_ARGUMENTS,
        readOnly: isReadOnly,
        idempotent: isIdempotent,
        server: address.name,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        async execute(args, { signal, traceparent, idempotencyKey, limitMs = CALL_TIMEOUT_MS }) {
          const answer = await pool.callTool(target, {
            tool: name,
            arguments: args,
            headers: {},
            traceparent,
            idempotencyKey,
            repeatable: isReadOnly || (isIdempotent && idempotencyKey !== undefined),
            signal,
            timeoutMs: limitMs,
          })
          return (await readMcpResult(answer, false)).value
        },
      })
    })
    return { tools, close }
  } catch (error) {
    await close()
    throw error
  }
}

function toTarget(address: McpServerAddress): McpTarget {
  const common = { key: randomUUID(), name: address.name }
  if ('url' in address) return { ...common, url: new URL(address.url), headers: address.headers ?? {} }
  const { command, args = [], env = {}, cwd } = address
  return { ...common, command, args, env, cwd }
}

/** As models may say it. */
function toolName(server: string, tool: string): string {
  return `${server}_${tool}`.replace(/[^A-Za-z0-9_-]/g, '_')
}
