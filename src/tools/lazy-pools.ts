import type { GrpcPool, GrpcPoolOptions } from '../transport/grpc-pool.js'
import type { McpPool, McpPoolOptions } from '../transport/mcp-pool.js'
import { loadOnce } from '../util/load-once.js'
import { readMcpClient } from '../util/packages/read-mcp.js'
import { readPackages } from '../util/packages/read-packages.js'
import { readUndici } from '../util/packages/read-undici.js'

/** What the pools need of CommonJS, and what takes long of it. */
const GRPC_PACKAGES = ['@grpc/grpc-js', 'protobufjs', 'protobufjs/ext/descriptor/index.js']
const MCP_PACKAGES = ['ajv/dist/2020.js']

/** A pool whose library is read at its first use: reading it takes longer than the start of everything else. */
export type Lazy<Pool> = Pool & {
  readonly isLoaded: boolean
  /** Reads it now. @throws Error when what the configuration names cannot be used */
  load(): Promise<void>
}

export type LazyGrpcPoolOptions = Omit<GrpcPoolOptions, 'schema'> & {
  readonly protoFiles: readonly string[]
  readonly includeDirectories: readonly string[]
}

/** Channels to gRPC servers, with the `.proto` files of the configuration. */
export function createLazyGrpcPool(options: LazyGrpcPoolOptions): Lazy<GrpcPool> {
  let pool: GrpcPool | undefined
  const open = loadOnce(async () => {
    await readPackages(GRPC_PACKAGES, import.meta.url)
    const [{ createGrpcPool }, { loadProtoFiles }] = await Promise.all([
      import('../transport/grpc-pool.js'),
      import('../transport/grpc-schema.js'),
    ])
    const schema = loadProtoFiles(options.protoFiles, options.includeDirectories)
    pool = createGrpcPool({ ...options, schema })
    return pool
  })
  return {
    call: async (request) => (pool ?? (await open())).call(request),
    connect: async (url, service) => (pool ?? (await open())).connect(url, service),
    close: () => pool?.close(),
    get isLoaded() {
      return pool !== undefined
    },
    load: async () => void (await open()),
  }
}

/** Connections to MCP servers. */
export function createLazyMcpPool(options: () => McpPoolOptions): Lazy<McpPool> {
  let pool: McpPool | undefined
  const open = loadOnce(async () => {
    await readUndici()
    await readPackages(MCP_PACKAGES, import.meta.url)
    await readMcpClient()
    const { createMcpPool } = await import('../transport/mcp-pool.js')
    pool = createMcpPool(options())
    return pool
  })
  return {
    callTool: async (target, call) => (pool ?? (await open())).callTool(target, call),
    listTools: async (target) => (pool ?? (await open())).listTools(target),
    connect: async (target) => (pool ?? (await open())).connect(target),
    isConnected: (target) => pool?.isConnected(target) ?? false,
    close: async () => pool?.close(),
    get isLoaded() {
      return pool !== undefined
    },
    load: async () => void (await open()),
  }
}
