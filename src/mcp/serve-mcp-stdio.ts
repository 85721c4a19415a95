import type { Readable, Writable } from 'node:stream'
import type { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { followChanges } from './catalog-changes.js'
import { createMcpServer, type McpDependencies } from './create-mcp-server.js'
import { MAX_STDIO_MESSAGE_BYTES } from './limits.js'
import type { McpCaller } from './mcp-caller.js'

/** Where a client on the other end of two pipes reads and writes. */
export interface StdioStreams {
  readonly input: Readable
  readonly output: Writable
  /** Notified of what the client sent and cannot be answered. */
  readonly onError: (error: Error) => void
}

/** Serves one client over two pipes, in whichever era of the protocol it speaks. Returns what closes the connection. */
export function serveMcpStdio(
  dependencies: McpDependencies,
  caller: McpCaller,
  { input, output, onError }: StdioStreams,
): () => Promise<void> {
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_STDIO_MESSAGE_BYTES })
  const serve = () => {
    const server = createMcpServer(dependencies, caller, true)
    const unfollow = followChanges(dependencies.registry, tellerOf(server, addSubscriptions(server), onError))
    server.onclose = unfollow
    return server
  }
  const connection = serveStdio(serve, { transport, onerror: onError })
  return () => connection.close()
}

/** Clients of 2025 subscribe by requests of their own; for later ones the SDK keeps what they listen to. */
function addSubscriptions(server: Server): ReadonlySet<string> {
  const uris = new Set<string>()
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    uris.add(uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    uris.delete(uri)
    return {}
  })
  return uris
}

function tellerOf(server: Server, subscribed: ReadonlySet<string>, onError: (error: Error) => void) {
  const isModern = () => (server.getNegotiatedProtocolVersion() ?? '') >= FIRST_MODERN
  return {
    promptsChanged: () => void server.sendPromptListChanged().catch(onError),
    resourcesChanged: () => void server.sendResourceListChanged().catch(onError),
    toolsChanged: () => void server.sendToolListChanged().catch(onError),
    resourceUpdated(uri: string) {
      if (isModern() || subscribed.has(uri)) void server.sendResourceUpdated({ uri }).catch(onError)
    },
  }
}

/** From this revision on the SDK itself knows who listens to what. */
const FIRST_MODERN = '2026-07-28'
