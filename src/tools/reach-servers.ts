import type { ToolEntry } from '../registry/snapshot.js'
import type { McpPool } from '../transport/mcp-pool.js'
import type { CallContext } from '../util/call-context.js'
import { errorMessage } from '../util/errors/error-message.js'
import { getOrCreate } from '../util/get-or-create.js'
import type { JsonObject } from '../util/json/json.js'
import { pause } from '../util/slices/pause.js'
import { maskText } from '../util/telemetry/mask-secrets.js'
import { CONNECTS_AT_ONCE, TOOLS_PER_TURN } from './limits.js'
import type { ConfiguredMcpServer } from './mcp-servers.js'
import { placeholdersOf } from './tool-url.js'
import type { ToolWire } from './tool-wire.js'

/** One server, and what keeps its tools from being called. */
export interface ServerReach {
  /** An origin, or an MCP server's name; of tools that cannot be called, the first one's name. */
  readonly server: string
  /** How many tools of the catalog are called there. */
  readonly tools: number
  /** Undefined when it can be connected to. */
  readonly problem: string | undefined
}

export interface ReachServersOptions {
  readonly entries: Iterable<readonly [id: string, ToolEntry]>
  /** Where base urls may be set. */
  readonly context: JsonObject
  readonly wires: Readonly<Record<ToolEntry['definition']['connection']['type'], ToolWire>>
  /** The MCP servers of the configuration, which are tried whether a tool names them or not. */
  readonly servers: ReadonlyMap<string, ConfiguredMcpServer>
  readonly pool: Pick<McpPool, 'connect'>
  /** Connects and asks nothing. @throws WireError */
  readonly connectTo: (origin: string) => Promise<void>
}

/** What is known of a server before it is tried. */
interface Place {
  readonly server: string
  tools: number
  /** @throws what is in the way */
  readonly open: () => Promise<void>
  readonly secrets: readonly string[]
}

const NOBODY: CallContext = { requestId: 'reach', signal: new AbortController().signal }

/**
 * Connects to each server once, within the policy for hosts and addresses, and calls no tool. Tools that cannot be
 * called whatever their server says are one entry for each reason.
 */
export async function reachServers(options: ReachServersOptions): Promise<readonly ServerReach[]> {
  const waiting = await placesOf(options)
  const reached: ServerReach[] = []
  const work = async () => {
    for (let place = waiting.shift(); place !== undefined; place = waiting.shift())
      reached.push(await tryPlace(place))
  }
  await Promise.all(Array.from({ length: CONNECTS_AT_ONCE }, work))
  return reached.sort((one, other) => (one.server < other.server ? -1 : 1))
}

async function tryPlace({ server, tools, open, secrets }: Place): Promise<ServerReach> {
  try {
    await open()
    return { server, tools, problem: undefined }
  } catch (error) {
    return { server, tools, problem: maskText(errorMessage(error), secrets) }
  }
}

async function placesOf(options: ReachServersOptions): Promise<Place[]> {
  const places = new Map<string, Place>()
  for (const [name, { target, secrets }] of options.servers) {
    const open = () => options.pool.connect(target)
    places.set(target.key, { server: `MCP server ${name}`, tools: 0, open, secrets })
  }
  let seen = 0
  for (const [, entry] of options.entries) {
    seen += 1
    if (seen % TOOLS_PER_TURN === 0) await pause()
    const [key, place] = placeOf(entry, options)
    getOrCreate(places, key, () => place).tools += 1
  }
  return [...places.values()]
}

function placeOf(entry: ToolEntry, { wires, context, connectTo }: ReachServersOptions): [string, Place] {
  const { definition: tool, functionName } = entry
  try {
    const call = { tool, arguments: sampleArguments(tool.connection), context, caller: NOBODY }
    const { target, connection, secrets } = wires[tool.connection.type].prepare(call)
    const open = connection?.open ?? (() => connectTo(target))
    const { connection: wire } = tool
    const web = wire.type === 'grpc' ? `gRPC server ${target}` : target
    const server = wire.type === 'mcp' ? `MCP server ${hostOf(wire)}` : web
    return [connection?.key ?? target, { server, tools: 0, open, secrets }]
  } catch (error) {
    const open = () => Promise.reject(error)
    return [errorMessage(error), { server: `tool ${functionName}`, tools: 0, open, secrets: [] }]
  }
}

/** A place of a url that is filled from arguments must not be empty; nothing is sent. */
function sampleArguments(connection: ToolEntry['definition']['connection']): JsonObject {
  if (connection.type !== 'restful') return {}
  return Object.fromEntries(placeholdersOf(connection.url).map((name) => [name, '0']))
}

function hostOf({ server, url }: { readonly server: string | undefined; readonly url: string | undefined }) {
  return server ?? (url !== undefined && URL.canParse(url) ? new URL(url).host : (url ?? ''))
}
