import { AsyncLocalStorage } from 'node:async_hooks'
import type { CallToolResult, Tool, Transport } from '@modelcontextprotocol/client'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Dispatcher } from 'undici'
import { type CancelSignal, nativeSignal } from '../util/cancellation.js'
import type { JsonObject } from '../util/json/json.js'
import { type GivenUp, runWithin, untilAborted } from '../util/time/time-limits.js'
import { ConnectionCache } from './connection-cache.js'
import { createGuardedFetch, type FetchScope, type GuardedFetch } from './guarded-fetch.js'
import { MAX_MCP_CONNECTIONS } from './limits.js'
import { isGone, mayLackSession, toMcpWireError } from './mcp-error.js'
import { WireError } from './wire-error.js'

/** A server to talk to. Equal keys share one connection. */
export type McpTarget = {
  readonly key: string
  /** For messages. */
  readonly name: string
  /** Called when the server says that its tools changed, and when the connection ends. */
  readonly onToolsChanged?: () => void
} & (
  | { readonly url: URL; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly cwd: string | undefined
    }
)

export interface McpCall {
  readonly tool: string
  readonly arguments: JsonObject
  /** Sent with the HTTP requests of this call; stdio has no headers. */
  readonly headers: Readonly<Record<string, string>>
  readonly traceparent: string | undefined
  /** Sent in `_meta`, whatever the transport. */
  readonly idempotencyKey: string | undefined
  /** Whether the call may be made twice. */
  readonly repeatable: boolean
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Kept connections to MCP servers of both protocol eras. */
export interface McpPool {
  /** @throws WireError */
  callTool(target: McpTarget, call: McpCall): Promise<CallToolResult>
  /** Every page. @throws WireError */
  listTools(target: McpTarget): Promise<readonly Tool[]>
  /** Connects, so that the first call finds a session. @throws WireError */
  connect(target: McpTarget): Promise<void>
  isConnected(target: McpTarget): boolean
  close(): Promise<void>
}

export interface McpPoolOptions {
  /** For servers with a url. The pool does not close it. */
  readonly dispatcher: Dispatcher
  readonly maxResponseBytes: number
  readonly connectTimeoutMs: number
  readonly clientName: string
  readonly clientVersion: string
}

interface Connection {
  readonly client: Client
}

type Pending = Promise<Connection>

const IDLE_MS = 10 * 60_000
/** A program starts slower than a connection: it may even be downloaded first. */
const START_TIMEOUT_MS = 60_000
/** How long a program may think about an unknown protocol before it counts as an older one. */
const STDIO_PROBE_MS = 5_000
const LIST_TIMEOUT_MS = 30_000
/** Around the content: the JSON-RPC envelope and escapes. */
const ENVELOPE_BYTES = 64 * 1024

/** Creates a pool. It connects to a server when it is first needed. */
export function createMcpPool(options: McpPoolOptions): McpPool {
  return new ConnectedMcp(options)
}

/**
 * Every wait has its own deadline here, because the SDK's defaults are a minute long, and in the older era it leaves
 * the request of a given-up call open.
 */
class ConnectedMcp implements McpPool {
  readonly #options: McpPoolOptions
  readonly #scope = new AsyncLocalStorage<FetchScope>()
  readonly #guardedFetch: GuardedFetch
  readonly #connections = new ConnectionCache<Connection>({
    max: MAX_MCP_CONNECTIONS,
    ttlMs: IDLE_MS,
    untilIdle: true,
    close: ({ client }) => client.close(),
  })
  readonly #connected = new Set<string>()

  constructor(options: McpPoolOptions) {
    this.#options = options
    this.#guardedFetch = createGuardedFetch({
      dispatcher: options.dispatcher,
      maxBytes: options.maxResponseBytes + ENVELOPE_BYTES,
      scope: () => this.#scope.getStore(),
      timeoutMs: options.connectTimeoutMs,
    })
  }

  async callTool(target: McpTarget, call: McpCall): Promise<CallToolResult> {
    const pooled = this.#connections.has(target.key)
    const pending = this.#connectionTo(target)
    try {
      return await this.#callBy(pending, target, call)
    } catch (error) {
      const failure = toMcpWireError(error, target.name, call.signal)
      const isDead =
        isGone(failure) || (mayLackSession(error) && (await hasLostSession(pending, this.#options)))
      if (!isDead) throw failure
      this.#connections.forget(target.key, pending)
      const notExecuted = failure.failure !== 'connection_lost'
      if (!pooled || call.signal.aborted || !(notExecuted || call.repeatable)) throw failure
    }
    return this.#reconnectAndCall(target, call)
  }

  async listTools(target: McpTarget): Promise<readonly Tool[]> {
    const pending = this.#connectionTo(target)
    try {
      const { client } = await pending
      const { tools } = await runWithin(
        LIST_TIMEOUT_MS,
        undefined,
        (signal) =>
          client.listTools(undefined, {
            signal: nativeSignal(signal),
            timeout: LIST_TIMEOUT_MS,
            cacheMode: 'refresh',
          }),
        GIVEN_UP,
      )
      return tools
    } catch (error) {
      this.#connections.forget(target.key, pending)
      throw toMcpWireError(error, target.name, undefined)
    }
  }

  async connect(target: McpTarget): Promise<void> {
    await this.#connectionTo(target)
  }

  isConnected(target: McpTarget): boolean {
    return this.#connected.has(target.key)
  }

  async close(): Promise<void> {
    await this.#connections.close()
    // Else every promise of the process carries the scope of a pool that is gone.
    this.#scope.disable()
  }

  #connectionTo(target: McpTarget): Pending {
    return this.#connections.get(target.key, () => {
      // Outside of any call: the connection outlives the call that happens to need it first.
      const pending = this.#scope.exit(() => connect(target, this.#options, () => this.#transportTo(target)))
      pending.then((connection) => this.#attach(target, pending, connection), ignore)
      return pending
    })
  }

  #attach(target: McpTarget, pending: Pending, { client }: Connection): void {
    const { key, onToolsChanged } = target
    const forget = () => this.#connections.forget(key, pending)
    this.#connected.add(key)
    client.onclose = () => {
      this.#connected.delete(key)
      forget()
      onToolsChanged?.()
    }
    if (onToolsChanged === undefined) return
    // A connection that can no longer report changes is replaced: the newer era ends its subscription, the older
    // one gives up its stream.
    client.autoOpenedSubscription?.closed.then(forget)
    client.onerror = ({ message }) => {
      if (message.startsWith('Maximum reconnection attempts')) forget()
    }
  }

  #transportTo(target: McpTarget): Transport {
    if ('url' in target) {
      const requestInit = { headers: { ...target.headers }, redirect: 'manual' } as const
      return new StreamableHTTPClientTransport(target.url, { fetch: this.#guardedFetch, requestInit })
    }
    const { command, args, env, cwd } = target
    return new StdioClientTransport({
      command,
      args: [...args],
      env: { ...getDefaultEnvironment(), ...env },
      stderr: 'ignore',
      maxBufferSize: 2 * this.#options.maxResponseBytes + ENVELOPE_BYTES,
      ...(cwd === undefined ? {} : { cwd }),
    })
  }

  /** The connection was an old one; a new one gets one try. */
  async #reconnectAndCall(target: McpTarget, call: McpCall): Promise<CallToolResult> {
    try {
      return await this.#callBy(this.#connectionTo(target), target, call)
    } catch (error) {
      throw toMcpWireError(error, target.name, call.signal)
    }
  }

  async #callBy(pending: Pending, target: McpTarget, call: McpCall): Promise<CallToolResult> {
    return callOnce(await untilAborted(pending, call.signal, abandoned), target, call, this.#scope)
  }
}

async function connect(
  target: McpTarget,
  options: McpPoolOptions,
  openTransport: () => Transport,
): Promise<Connection> {
  const isProgram = 'command' in target
  const timeout = isProgram ? START_TIMEOUT_MS : options.connectTimeoutMs
  const client = new Client(
    { name: options.clientName, version: options.clientVersion },
    {
      capabilities: {},
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: isProgram ? STDIO_PROBE_MS : timeout } },
      // Results are checked by the caller, with patterns that run in linear time, and a breach is a warning.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
      ...listChanged(target),
    },
  )
  try {
    const connect = (signal: CancelSignal) =>
      client.connect(openTransport(), { signal: nativeSignal(signal), timeout })
    await runWithin(timeout, undefined, connect, GIVEN_UP)
    return { client }
  } catch (error) {
    await client.close().catch(ignore)
    throw toMcpWireError(error, target.name, undefined)
  }
}

/**
 * Whether the server does not know the session any more. It is asked: an answer of a tool may have the same status, and
 * that call was executed.
 */
async function hasLostSession(pending: Pending, { connectTimeoutMs }: McpPoolOptions): Promise<boolean> {
  const client = await pending.then((connection) => connection.client, ignore)
  if (client?.transport?.sessionId === undefined) return false
  const ping = (signal: CancelSignal) =>
    client.ping({ signal: nativeSignal(signal), timeout: connectTimeoutMs })
  return runWithin(connectTimeoutMs, undefined, ping, GIVEN_UP).then(() => false, mayLackSession)
}

function listChanged({ onToolsChanged }: McpTarget) {
  if (onToolsChanged === undefined) return {}
  return {
    listChanged: { tools: { autoRefresh: false, debounceMs: 100, onChanged: () => onToolsChanged() } },
  }
}

async function callOnce(
  { client }: Connection,
  target: McpTarget,
  call: McpCall,
  scope: AsyncLocalStorage<FetchScope>,
): Promise<CallToolResult> {
  if (client.transport === undefined) throw new WireError('unreachable', `${target.name}: not connected`)
  const controller = new AbortController()
  const abort = () => controller.abort(call.signal.reason)
  call.signal.addEventListener('abort', abort, { once: true })
  const exchange: FetchScope = {
    signal: controller.signal,
    headers: 'url' in target ? call.headers : {},
    fail: (error) => controller.abort(error),
  }
  // A JSON object of ours is one of theirs; only bigint is not, and it travels as its digits do not: as a number.
  const params = { name: call.tool, arguments: toPlainNumbers(call.arguments), ...metaOf(call) }
  try {
    return await scope.run(exchange, () =>
      client.callTool(params, { signal: controller.signal, timeout: call.timeoutMs }),
    )
  } catch (error) {
    throw controller.signal.reason instanceof WireError ? controller.signal.reason : error
  } finally {
    call.signal.removeEventListener('abort', abort)
    // Whatever the SDK left open for this call ends with it.
    controller.abort()
  }
}

function metaOf({ traceparent, idempotencyKey }: McpCall): { readonly _meta?: Record<string, string> } {
  if (traceparent === undefined && idempotencyKey === undefined) return {}
  return {
    _meta: {
      ...(traceparent !== undefined && { traceparent }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    },
  }
}

function toPlainNumbers(args: JsonObject): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(args, (_name, value) => (typeof value === 'bigint' ? Number(value) : value)),
  )
}

function abandoned(): WireError {
  return new WireError('cancelled', 'given up while connecting')
}

/** How asking a server fails that nobody waits for but the pool itself. */
const GIVEN_UP: GivenUp = {
  timedOut: (ms) => new WireError('timeout', `no answer within ${ms} ms`),
  cancelled: abandoned,
}

function ignore(): void {}
