import type { McpHttpHandler, McpRequestContext, Server } from '@modelcontextprotocol/server'
import { readMcpServer } from '../util/packages/read-mcp.js'
import { pause } from '../util/slices/pause.js'
import { followChanges } from './catalog-changes.js'
import type { McpDependencies } from './create-mcp-server.js'
import { MAX_SUBSCRIPTIONS } from './limits.js'
import { McpCaller } from './mcp-caller.js'

/** MCP over streamable HTTP, for clients of both eras of the protocol. */
export interface McpEndpoint {
  /**
   * Answers one request. Its work ends with the caller's signal; the signal of `request` is not needed, and a request
   * without one costs half.
   *
   * @param body its parsed body
   */
  fetch(request: Request, body: unknown, caller: McpCaller): Promise<Response>
  /** Ends the streams that wait for changes, each with its result. */
  endStreams(): Promise<void>
  /** Reads the SDK once, giving way to others in between. */
  load(): Promise<void>
  close(): Promise<void>
}

/** Creates the endpoint. The SDK is read when it is needed first: most services have no MCP client. */
export function createMcpEndpoint(dependencies: McpDependencies, keepAliveMs: number): McpEndpoint {
  let opened: Promise<OpenEndpoint> | undefined
  const open = () => {
    opened ??= openEndpoint(dependencies, keepAliveMs)
    return opened
  }
  return {
    async fetch(request, body, caller) {
      const { handler } = await open()
      return handler.fetch(request, { parsedBody: body, authInfo: authInfoOf(caller) })
    },
    endStreams: async () => (await opened)?.handler.close(),
    load: async () => void (await open()),
    async close() {
      const { unfollow, handler } = (await opened) ?? {}
      unfollow?.()
      await handler?.close()
    },
  }
}

interface OpenEndpoint {
  readonly handler: McpHttpHandler
  readonly unfollow: () => void
}

async function openEndpoint(dependencies: McpDependencies, keepAliveMs: number): Promise<OpenEndpoint> {
  await readMcpServer()
  const [{ createMcpHandler, preloadSchemas }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./create-mcp-server.js'),
  ])
  // What is left of them: else the first request builds it, together with all else that it does for the first time.
  await pause()
  preloadSchemas()
  await pause()
  const openServer = (caller: McpCaller, era: McpRequestContext['era']): Server => {
    // Clients of 2025 have no stream here for notifications.
    const server = createMcpServer(dependencies, caller, era === 'modern')
    caller.call.signal.addEventListener('abort', () => void server.close(), { once: true })
    return server
  }
  const handler = createMcpHandler(({ authInfo, era }) => openServer(callerIn(authInfo?.extra), era), {
    keepAliveMs,
    maxSubscriptions: MAX_SUBSCRIPTIONS,
  })
  return { handler, unfollow: followChanges(dependencies.registry, handler.notify) }
}

/** The SDK hands this on as it is. */
function authInfoOf(caller: McpCaller) {
  return { token: '', clientId: '', scopes: [], extra: { caller } }
}

function callerIn(extra: Readonly<Record<string, unknown>> | undefined): McpCaller {
  const caller = extra?.['caller']
  if (caller instanceof McpCaller) return caller
  throw new Error('an MCP request came without its caller')
}
