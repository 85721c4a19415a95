import type { Dispatcher } from 'undici'
import type { ToolSource } from '../registry/registry.js'
import { connectOnce } from '../transport/connect-once.js'
import { createGuardedAgent } from '../transport/guarded-agent.js'
import type { AddressGuard, Resolver } from '../transport/guarded-lookup.js'
import type { McpPoolOptions } from '../transport/mcp-pool.js'
import { createGrpcWire } from './grpc-wire.js'
import { createHostPolicy } from './host-policy.js'
import { createLazyGrpcPool, createLazyMcpPool, type LazyGrpcPoolOptions } from './lazy-pools.js'
import { createMcpMounts } from './mcp-mounts.js'
import { type ConfiguredMcpServer, createMcpServers } from './mcp-servers.js'
import { createMcpWire } from './mcp-wire.js'
import { type ReachServersOptions, reachServers, type ServerReach } from './reach-servers.js'
import { createRestfulWire } from './restful-wire.js'
import type { ToolCaller, ToolsStatus } from './tool.js'
import { createToolCaller, type DoForeign, type ToolCallRecord } from './tool-caller.js'
import type { ToolSettings } from './tool-settings.js'
import type { ToolWire } from './tool-wire.js'
import { type WarmToolsOptions, warmTools } from './warm-tools.js'

export interface ToolsOptions {
  readonly settings: ToolSettings
  /** Called once per call, after it. */
  readonly observe?: (record: ToolCallRecord) => void
  /** Finds the addresses of names; default is the system's. */
  readonly resolver?: Resolver
  /** Does what values of others may make long. Default: as all else. */
  readonly doForeign?: DoForeign
}

/** Everything that calls tools: the caller and the connections below it. */
export interface Tools {
  readonly caller: ToolCaller
  /** The tools of mounted MCP servers, for the registry. They appear as their servers answer. */
  readonly mounts: ToolSource
  readonly status: ToolsStatus
  /** Reads the `.proto` files of the configuration. @throws Error when one is malformed */
  readFiles(): Promise<void>
  /**
   * Does what first calls would wait for: connects to the servers that these tools name and policy allows, and reads the
   * libraries of their protocols for it. What fails is left to the calls. Ends early on abort.
   */
  warm(options: Pick<WarmToolsOptions, 'entries' | 'context' | 'signal'>): Promise<void>
  /** Connects to each server of these tools and of the configuration, calls nothing, and says what is in the way. */
  reach(options: Pick<ReachServersOptions, 'entries' | 'context'>): Promise<readonly ServerReach[]>
  /** Closes every connection; calls that still run fail. */
  close(): Promise<void>
}

const MOUNT_TIMES = { refreshMs: 60_000, firstRetryMs: 250, maxRetryMs: 30_000 } as const

/**
 * Puts the tools floor together.
 *
 * @throws Error when a host pattern or a base url is malformed
 */
export function createTools(options: ToolsOptions): Tools {
  const { settings } = options
  const policy = createHostPolicy(settings.allowedHosts, configuredUrls(settings))
  const guard: AddressGuard = {
    rule: policy.addressRule,
    ...(options.resolver === undefined ? {} : { resolver: options.resolver }),
  }
  let agent: Dispatcher | undefined
  const dispatcher = () => {
    agent ??= createGuardedAgent({
      ...guard,
      connectionsPerOrigin: settings.maxConcurrentPerHost,
      connectTimeoutMs: settings.connectTimeoutMs,
    })
    return agent
  }
  const restful = createRestfulWire({ dispatcher, policy, settings })
  const grpcPool = createLazyGrpcPool(grpcPoolOptions(settings, guard))
  const grpc = createGrpcWire({ pool: grpcPool, policy, settings })
  const servers = createMcpServers(settings, (server) => mounts.refresh(server))
  const pool = createLazyMcpPool(() => mcpPoolOptions(settings, dispatcher()))
  const mcp = createMcpWire({ pool, servers, policy, settings })
  const wires: Record<'restful' | 'grpc' | 'mcp', ToolWire> = { restful, grpc, mcp }
  const caller = createToolCaller({ ...options, wires })
  const mounts = createMcpMounts({ pool, servers: mountedServers(servers, settings), ...MOUNT_TIMES })
  return {
    caller,
    mounts,
    get status() {
      return { ...caller.status, mcpServers: mounts.status }
    },
    async readFiles() {
      if (settings.grpc.protoFiles.length > 0) await grpcPool.load()
    },
    warm: (options) => warmTools({ ...options, wires }),
    reach: (options) => {
      const { connectTimeoutMs } = settings
      const connectTo = (origin: string) => connectOnce(origin, { ...guard, connectTimeoutMs })
      return reachServers({ ...options, wires, servers, pool, connectTo })
    },
    async close() {
      mounts.close()
      await Promise.all(Object.values(wires).map((wire) => wire.close()))
      await agent?.destroy()
    },
  }
}

function mountedServers(
  servers: ReadonlyMap<string, ConfiguredMcpServer>,
  settings: ToolSettings,
): ReadonlyMap<string, ConfiguredMcpServer> {
  return new Map([...servers].filter(([name]) => settings.mcpServers[name]?.mount === true))
}

function grpcPoolOptions(settings: ToolSettings, guard: AddressGuard): LazyGrpcPoolOptions {
  const { protoFiles, includeDirectories, ...tls } = settings.grpc
  return {
    ...guard,
    protoFiles,
    includeDirectories,
    tls,
    maxResponseBytes: settings.maxResponseBytes,
    userAgent: settings.userAgent,
    reflectionTimeoutMs: settings.connectTimeoutMs,
  }
}

function mcpPoolOptions(settings: ToolSettings, dispatcher: Dispatcher): McpPoolOptions {
  const { maxResponseBytes, connectTimeoutMs, userAgent } = settings
  const [clientName = userAgent, clientVersion = '0'] = userAgent.split('/')
  return { dispatcher, maxResponseBytes, connectTimeoutMs, clientName, clientVersion }
}

/** The urls whose hosts the configuration itself names. */
function configuredUrls(settings: ToolSettings): readonly URL[] {
  const bases = [settings.baseUrl, ...Object.values(settings.baseUrls)]
  const servers = Object.values(settings.mcpServers).map((server) =>
    'url' in server ? server.url : undefined,
  )
  return [...bases, ...servers].filter((text) => text !== undefined).map((text) => new URL(text))
}
