import { createHash } from 'node:crypto'
import type { Tool } from '@modelcontextprotocol/client'
import type { ToolSource } from '../registry/registry.js'
import type { ToolDefinition, ToolEntry } from '../registry/snapshot.js'
import { compileSchema } from '../schema/json-schema.js'
import type { McpPool } from '../transport/mcp-pool.js'
import { backoffMs } from '../transport/resilience/backoff.js'
import { errorMessage } from '../util/errors/error-message.js'
import { isJsonObject, type JsonObject, stringifyJson } from '../util/json/json.js'
import { createSlicer } from '../util/slices/pause.js'
import { maskText } from '../util/telemetry/mask-secrets.js'
import type { ConfiguredMcpServer } from './mcp-servers.js'
import type { McpServerStatus } from './tool.js'
import { ANY_ARGUMENTS } from './toolbox.js'

export interface McpMountsOptions {
  readonly pool: McpPool
  /** The servers whose tools are mounted. */
  readonly servers: ReadonlyMap<string, ConfiguredMcpServer>
  /** How often a list is compared when no server says that it changed. */
  readonly refreshMs: number
  readonly firstRetryMs: number
  readonly maxRetryMs: number
}

/** The tools of whole MCP servers, as entries of the catalog. */
export interface McpMounts extends ToolSource {
  readonly status: readonly McpServerStatus[]
  /** Asks a server again, soon. */
  refresh(server: string): void
  close(): void
}

/** The tools of a list, and why the first of those that are refused is. */
interface MountedTools {
  readonly entries: readonly ToolEntry[]
  readonly refusal: string | undefined
}

/** Of a tool's name. */
const MAX_SHOWN = 100

interface Mount {
  readonly name: string
  readonly server: ConfiguredMcpServer
  entries: readonly ToolEntry[]
  failures: number
  lastError: string | undefined
  timer: NodeJS.Timeout | undefined
  running: boolean
  /** Asked for while a refresh was running. */
  again: boolean
}

/** Starts to mount at once. A server that is away keeps the tools it had, whose calls then fail, and is asked again. */
export function createMcpMounts(options: McpMountsOptions): McpMounts {
  const { pool, servers, refreshMs, firstRetryMs, maxRetryMs } = options
  const listeners = new Set<() => void>()
  const mounts = new Map([...servers].map(([name, server]) => [name, createMount(name, server)]))
  let closed = false

  async function refresh(mount: Mount): Promise<void> {
    mount.running = true
    const delayMs = await load(mount)
    mount.running = false
    schedule(mount, mount.again ? firstRetryMs : delayMs)
    mount.again = false
  }

  function schedule(mount: Mount, delayMs: number): void {
    clearTimeout(mount.timer)
    if (!closed) mount.timer = setTimeout(() => void refresh(mount), delayMs)
  }

  /** Returns when to ask again. */
  async function load(mount: Mount): Promise<number> {
    try {
      const tools = await pool.listTools(mount.server.target)
      const { entries, refusal } = await toEntries(mount.name, tools)
      mount.failures = 0
      mount.lastError = refusal && maskText(refusal, mount.server.secrets)
      replace(mount, entries)
      return refreshMs
    } catch (error) {
      mount.failures += 1
      mount.lastError = maskText(errorMessage(error), mount.server.secrets)
      return backoffMs({ firstMs: firstRetryMs, longestMs: maxRetryMs }, mount.failures)
    }
  }

  function replace(mount: Mount, entries: readonly ToolEntry[]): void {
    if (closed || revisionsOf(entries) === revisionsOf(mount.entries)) return
    mount.entries = entries
    for (const listener of listeners) listener()
  }

  for (const mount of mounts.values()) void refresh(mount)
  return {
    get entries() {
      return [...mounts.values()].flatMap(({ entries }) => entries)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    get status() {
      return [...mounts.values()].map((mount) => toStatus(mount, pool))
    },
    refresh(name) {
      const mount = mounts.get(name)
      if (mount === undefined) return
      // Not at once: news come in bursts, and a server that keeps falling over must not be asked in a tight loop.
      if (mount.running) mount.again = true
      else if (mount.failures === 0) schedule(mount, firstRetryMs)
    },
    close() {
      closed = true
      listeners.clear()
      for (const { timer } of mounts.values()) clearTimeout(timer)
    },
  }
}

function createMount(name: string, server: ConfiguredMcpServer): Mount {
  return {
    name,
    server,
    entries: [],
    failures: 0,
    lastError: undefined,
    timer: undefined,
    running: false,
    again: false,
  }
}

function toStatus({ name, server, entries, lastError }: Mount, pool: McpPool): McpServerStatus {
  return { server: name, connected: pool.isConnected(server.target), tools: entries.length, lastError }
}

/** Where two tools come to one name, the first one has it. A tool whose schemas are refused is not mounted. */
async function toEntries(server: string, tools: readonly Tool[]): Promise<MountedTools> {
  const slicer = createSlicer()
  const entries = new Map<string, ToolEntry>()
  let refusal: string | undefined
  for (const tool of tools) {
    const problem = schemaProblem(tool)
    if (problem === undefined) {
      const entry = toEntry(server, tool)
      if (!entries.has(entry.functionName)) entries.set(entry.functionName, entry)
    } else {
      refusal ??= `the tool ${JSON.stringify(tool.name.slice(0, MAX_SHOWN))} is not mounted: ${problem}`
    }
    await slicer.turn()
  }
  return { entries: [...entries.values()], refusal }
}

/** Why a tool cannot be called with what its schemas say; undefined when it can. */
function schemaProblem(tool: Tool): string | undefined {
  for (const name of ['inputSchema', 'outputSchema'] as const) {
    const schema = toSchema(tool[name])
    if (schema === undefined) continue
    try {
      compileSchema(schema)
    } catch (error) {
      return `${name}: ${errorMessage(error)}`
    }
  }
  return undefined
}

function toEntry(server: string, tool: Tool): ToolEntry {
  const definition = toDefinition(server, tool)
  const { name, module, description, parameters, returns, readOnly, idempotent } = definition
  const mcp = { server, tool: tool.name }
  const shown = { name, module, type: 'mcp', description, parameters, readOnly, idempotent, mcp }
  const document: JsonObject = returns === undefined ? shown : { ...shown, returns }
  const parts = ['mcp', toIdentifier(server), toIdentifier(tool.name)]
  return {
    id: parts.join('.'),
    functionName: parts.join('_'),
    origin: 'mounted',
    revision: createHash('sha256').update(stringifyJson(document)).digest('hex').slice(0, 24),
    location: `mcp:${server}`,
    document,
    definition,
  }
}

function toDefinition(server: string, tool: Tool): ToolDefinition {
  return {
    name: tool.name,
    module: server,
    description: tool.description ?? tool.title ?? '',
    supports: [],
    parameters: toSchema(tool.inputSchema) ?? ANY_ARGUMENTS,
    returns: toSchema(tool.outputSchema),
    connection: { type: 'mcp', url: undefined, server, tool: tool.name },
    headers: {},
    timeoutMs: undefined,
    fallback: undefined,
    result: undefined,
    readOnly: tool.annotations?.readOnlyHint === true,
    idempotent: tool.annotations?.idempotentHint === true,
    approval: undefined,
    dedupeBy: undefined,
    cacheTtlMs: undefined,
  }
}

function toSchema(schema: unknown): JsonObject | undefined {
  return isJsonObject(schema) ? schema : undefined
}

function toIdentifier(name: string): string {
  return name.replace(/[^\p{L}\p{Nd}_]/gu, '_')
}

function revisionsOf(entries: readonly ToolEntry[]): string {
  return entries.map(({ id, revision }) => `${id} ${revision}`).join('\n')
}
