import type { ToolEntry } from '../registry/snapshot.js'
import { MAX_MCP_CONNECTIONS } from '../transport/limits.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject } from '../util/json/json.js'
import { pause } from '../util/slices/pause.js'
import { CONNECTS_AT_ONCE, TOOLS_PER_TURN } from './limits.js'
import type { ToolWire } from './tool-wire.js'

export interface WarmToolsOptions {
  readonly entries: Iterable<readonly [id: string, ToolEntry]>
  /** Where base urls may be set. */
  readonly context: JsonObject
  readonly wires: Readonly<Record<ToolEntry['definition']['connection']['type'], ToolWire>>
  readonly signal: AbortSignal
}

/**
 * Connects to the servers of these tools, each once, so that no first call waits for that, nor for the library of its protocol.
 * A protocol that no tool can use costs no memory. A failure here is ignored: the next call of the tool fails again and reports it.
 */
export async function warmTools(options: WarmToolsOptions): Promise<void> {
  const { signal } = options
  const waiting = [...(await connectionsOf(options)).values()]
  const connect = async () => {
    for (let open = waiting.shift(); open !== undefined && !signal.aborted; open = waiting.shift())
      await open().catch(ignore)
  }
  await Promise.all(Array.from({ length: CONNECTS_AT_ONCE }, connect))
}

/** How to connect to each server. */
async function connectionsOf(options: WarmToolsOptions): Promise<ReadonlyMap<string, () => Promise<void>>> {
  const connections = new Map<string, () => Promise<void>>()
  let seen = 0
  for (const [, entry] of options.entries) {
    seen += 1
    if (seen % TOOLS_PER_TURN === 0) await pause()
    if (options.signal.aborted || connections.size === MAX_MCP_CONNECTIONS) break
    const connection = connectionOf(entry, options)
    if (connection !== undefined && !connections.has(connection.key))
      connections.set(connection.key, connection.open)
  }
  return connections
}

/** For nobody in particular. */
const WARM_UP: CallContext = { requestId: 'warm-up', signal: new AbortController().signal }

/** Undefined too for what policy refuses, and for tools that cannot be called. */
function connectionOf({ definition: tool }: ToolEntry, { wires, context }: WarmToolsOptions) {
  const call = { tool, arguments: {}, context, caller: WARM_UP }
  // Plain requests bring nothing along that is worth connecting for.
  if (tool.connection.type === 'restful') return undefined
  try {
    return wires[tool.connection.type].prepare(call).connection
  } catch {
    return undefined
  }
}

function ignore(): void {}
