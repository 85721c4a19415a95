import type { Dispatcher } from 'undici'
import type { ToolEntry } from '../registry/snapshot.js'
import { createGrpcPool, type GrpcPoolOptions } from '../transport/grpc-pool.js'
import { loadProtoFiles } from '../transport/grpc-schema.js'
import { createGuardedAgent } from '../transport/guarded-agent.js'
import type { AddressGuard, Resolver } from '../transport/guarded-lookup.js'
import { createMcpPool, type McpPoolOptions } from '../transport/mcp-pool.js'
import type { JsonObject } from '../util/json.js'
import { createGrpcWire } from './grpc-wire.js'
import { createHostPolicy } from './host-policy.js'
import { createMcpServers } from './mcp-servers.js'
import { createMcpWire } from './mcp-wire.js'
import { createRestfulWire } from './restful-wire.js'
import type { ToolCaller } from './tool.js'
import { createToolCaller, type ToolCallRecord } from './tool-caller.js'
import type { ToolSettings } from './tool-settings.js'
import type { ToolWire } from './tool-wire.js'

export interface ToolsOptions {
  readonly settings: ToolSettings
  /** Called once per call, after it. */
  readonly observe?: (record: ToolCallRecord) => void
  /** Asked before every call: a reason to refuse it, or undefined. */
  readonly permission?: (tool: ToolEntry, args: JsonObject) => string | undefined
  /** Finds the addresses of names; default is the system's. */
  readonly resolver?: Resolver
}

/** Everything that calls tools: the caller and the connections below it. */
export interface Tools {
  readonly caller: ToolCaller
  /** Closes every connection; calls that still run fail. */
  close(): Promise<void>
}

/**
 * Puts the tools floor together.
 *
 * @throws Error when a host pattern, a base url or a `.proto` file is malformed
 */
export function createTools(options: ToolsOptions): Tools {
  const { settings } = options
  const policy = createHostPolicy(settings.allowedHosts, configuredUrls(settings))
  const guard: AddressGuard = {
    rule: policy.addressRule,
    ...(options.resolver === undefined ? {} : { resolver: options.resolver }),
  }
  const dispatcher = createGuardedAgent({
    ...guard,
    connectionsPerOrigin: settings.maxConcurrentPerHost,
    connectTimeoutMs: settings.connectTimeoutMs,
  })
  const restful = createRestfulWire({ dispatcher, policy, settings })
  const grpc = createGrpcWire({ pool: createGrpcPool(grpcPoolOptions(settings, guard)), policy, settings })
  const servers = createMcpServers(settings, () => {})
  const mcp = createMcpWire({
    pool: createMcpPool(mcpPoolOptions(settings, dispatcher)),
    servers,
    policy,
    settings,
  })
  const wires: Record<'restful' | 'grpc' | 'mcp', ToolWire> = { restful, grpc, mcp }
  return {
    caller: createToolCaller({ ...options, wires }),
    async close() {
      await Promise.all(Object.values(wires).map((wire) => wire.close()))
      await dispatcher.destroy()
    },
  }
}

function grpcPoolOptions(settings: ToolSettings, guard: AddressGuard): GrpcPoolOptions {
  const { protoFiles, includeDirectories, ...tls } = settings.grpc
  return {
    ...guard,
    schema: loadProtoFiles(protoFiles, includeDirectories),
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
