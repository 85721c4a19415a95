import { readFileSync } from 'node:fs'
import type { ConfigFile, McpServer } from '../schema/config-file.js'
import { VERSION } from '../util/packages/version.js'
import { DEFAULT_RESPONSE_BYTES } from './limits.js'
import type { Secrets } from './secrets.js'

/** An MCP server of the configuration: a url, or a program to start. */
export type McpServerSettings =
  | { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly mount: boolean }
  | {
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly cwd: string | undefined
      readonly mount: boolean
    }

export interface GrpcSettings {
  /** `.proto` files; a service that they do not describe is asked for by server reflection. */
  readonly protoFiles: readonly string[]
  /** Where the files' imports are found. */
  readonly includeDirectories: readonly string[]
  /** PEM text; the system's authorities unless given. */
  readonly rootCertificates: string | undefined
  readonly clientCertificate: string | undefined
  readonly clientKey: string | undefined
}

/** Everything the tools floor is configured with. */
export interface ToolSettings {
  readonly baseUrl: string | undefined
  readonly baseUrls: Readonly<Record<string, string>>
  readonly allowedHosts: readonly string[]
  readonly timeoutMs: number
  readonly connectTimeoutMs: number
  readonly maxResponseBytes: number
  /** How many redirects are followed; 0 follows none. */
  readonly maxRedirects: number
  readonly maxConcurrentPerTool: number
  readonly maxConcurrentPerHost: number
  readonly maxWaiting: number
  readonly cacheBytes: number
  readonly breaker: {
    readonly failures: number
    readonly cooldownMs: number
    readonly maxCooldownMs: number
  }
  readonly secrets: Secrets
  readonly mcpServers: Readonly<Record<string, McpServerSettings>>
  readonly grpc: GrpcSettings
  readonly userAgent: string
}

/** Safe and empty: no host may be called. */
export const DEFAULT_TOOL_SETTINGS: ToolSettings = {
  baseUrl: undefined,
  baseUrls: {},
  allowedHosts: [],
  timeoutMs: 10_000,
  connectTimeoutMs: 5_000,
  maxResponseBytes: DEFAULT_RESPONSE_BYTES,
  maxRedirects: 0,
  maxConcurrentPerTool: 32,
  maxConcurrentPerHost: 64,
  maxWaiting: 1_000,
  cacheBytes: 32 * 1024 * 1024,
  breaker: { failures: 5, cooldownMs: 5_000, maxCooldownMs: 60_000 },
  secrets: {},
  mcpServers: {},
  grpc: {
    protoFiles: [],
    includeDirectories: [],
    rootCertificates: undefined,
    clientCertificate: undefined,
    clientKey: undefined,
  },
  userAgent: 'ai-prompt-shell',
}

/** What of the configuration concerns tools. */
export interface ToolConfig {
  readonly toolBaseUrl?: string
  readonly toolBaseUrls: Readonly<Record<string, string>>
  readonly toolTimeoutMs: number
  readonly toolAllowedHosts: readonly string[]
  readonly toolMaxResponseBytes: number
  readonly toolMaxRedirects: number
  readonly secrets: Secrets
  readonly file: Pick<
    ConfigFile,
    'toolBaseUrls' | 'mcpServers' | 'protoFiles' | 'protoDirectories' | 'grpcTls'
  >
}

/**
 * Joins the environment's settings and the file's; where both name a module, the environment's base url counts.
 *
 * @throws Error when an MCP server has neither or both of url and command, or a file cannot be read
 */
export function toToolSettings(config: ToolConfig): ToolSettings {
  const { file, secrets } = config
  return {
    ...DEFAULT_TOOL_SETTINGS,
    baseUrl: config.toolBaseUrl,
    baseUrls: { ...file.toolBaseUrls, ...config.toolBaseUrls },
    allowedHosts: config.toolAllowedHosts,
    timeoutMs: config.toolTimeoutMs,
    maxResponseBytes: config.toolMaxResponseBytes,
    maxRedirects: config.toolMaxRedirects,
    secrets,
    mcpServers: Object.fromEntries(
      Object.entries(file.mcpServers).map(([name, server]) => [name, toMcpServer(name, server)]),
    ),
    grpc: {
      protoFiles: file.protoFiles,
      includeDirectories: file.protoDirectories,
      rootCertificates: readPem(file.grpcTls?.rootCertificatesFile),
      clientCertificate: readPem(file.grpcTls?.clientCertificateFile),
      clientKey: readPem(file.grpcTls?.clientKeyFile),
    },
    userAgent: `${DEFAULT_TOOL_SETTINGS.userAgent}/${VERSION}`,
  }
}

function toMcpServer(name: string, server: McpServer): McpServerSettings {
  const { url, headers, command, args, env, cwd, mount = true } = server
  if ((url === undefined) === (command === undefined)) {
    throw new Error(`the MCP server "${name}" needs exactly one of url and command`)
  }
  if (url !== undefined) return { url, headers: headers ?? {}, mount }
  return { command: command ?? '', args: args ?? [], env: env ?? {}, cwd, mount }
}

function readPem(path: string | undefined): string | undefined {
  return path === undefined ? undefined : readFileSync(path, 'utf8')
}
