import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import {
  type CallToolResult,
  createMcpHandler,
  fromJsonSchema,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { startHttpServer, type TestServer } from './http-server.js'

/** Which clients the server understands: only 2025's with sessions, only 2026's, or both, without sessions. */
export type McpEra = 'sessions' | 'modern' | 'both'

export interface TestMcpServer extends TestServer {
  /** `/mcp` of the server. */
  readonly endpoint: string
  /** Adds a tool and tells the clients. */
  addTool(name: string): void
  /** Headers of the last request. */
  readonly lastHeaders: Headers | undefined
  /** `_meta` of the last call of a tool. */
  readonly lastMeta: unknown
  /** Forgets all sessions, as a restart does. */
  forgetSessions(): void
}

type Handler = (request: Request) => Promise<Response>

/** A tool of a test's own, named `act`. */
export interface McpAct {
  readonly readOnlyHint?: boolean
  readonly idempotentHint?: boolean
  run(): CallToolResult | Promise<CallToolResult>
}

/** Starts a real MCP server over streamable HTTP. `rewrite` changes its answers on their way out. */
export async function startMcpServer(
  era: McpEra,
  port = 0,
  rewrite: (response: Response) => Promise<Response> = async (response) => response,
  act?: McpAct,
): Promise<TestMcpServer> {
  const names: string[] = ['echo', 'fail', 'structured', 'parts', 'image', 'hang', 'json', 'huge']
  const live = new Set<McpServer>()
  let lastHeaders: Headers | undefined
  let lastMeta: unknown
  const create = () => {
    const made = createServer(names, (meta) => {
      lastMeta = meta
    })
    if (act === undefined) return made
    const { run, ...annotations } = act
    made.registerTool('act', { description: 'Acts', inputSchema: text, annotations }, () => run())
    return made
  }
  const modern = createMcpHandler(create, { legacy: era === 'both' ? 'stateless' : 'reject' })
  const sessions = createSessions(create, live)
  const handle: Handler = async (request) => {
    lastHeaders = request.headers
    if (era === 'sessions') return sessions.handle(request)
    return modern.fetch(request)
  }
  const server = await startHttpServer(
    (request, response) => void serve(async (asked) => rewrite(await handle(asked)), request, response),
    port,
  )
  return {
    ...server,
    get sockets() {
      return server.sockets
    },
    endpoint: `${server.url}/mcp`,
    addTool(name: string) {
      names.push(name)
      for (const one of live) register(one, name, () => {})
      modern.notify.toolsChanged()
    },
    get lastHeaders() {
      return lastHeaders
    },
    get lastMeta() {
      return lastMeta
    },
    forgetSessions: sessions.forget,
  }
}

/** The same answer with another text, if it has an end. */
export async function rewritten(response: Response, change: (text: string) => string): Promise<Response> {
  if (!(response.headers.get('content-type') ?? '').includes('json')) return response
  const { status, headers } = response
  return new Response(change(await response.text()), { status, headers })
}

function createSessions(
  create: () => McpServer,
  live: Set<McpServer>,
): { handle: Handler; forget: () => void } {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return {
    forget: () => sessions.clear(),
    async handle(request) {
      const id = request.headers.get('mcp-session-id')
      const known = id === null ? undefined : sessions.get(id)
      if (id !== null && known === undefined) return new Response('Session not found', { status: 404 })
      if (known !== undefined) return known.handleRequest(request)
      if (!(await isLegacyRequest(request.clone() as Request)))
        return new Response('Bad Request', { status: 400 })
      const server = create()
      live.add(server)
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void sessions.set(session, transport),
      })
      await server.connect(transport)
      return transport.handleRequest(request)
    },
  }
}

function createServer(names: readonly string[], onMeta: (meta: unknown) => void): McpServer {
  const server = new McpServer(
    { name: 'test', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  )
  for (const name of names) register(server, name, onMeta)
  return server
}

const text = fromJsonSchema<{ text?: string }>({ type: 'object', properties: { text: { type: 'string' } } })
const answer = (content: CallToolResult['content']): CallToolResult => ({ content })

function register(server: McpServer, name: string, onMeta: (meta: unknown) => void): void {
  const config = {
    description: `${name} of the test`,
    inputSchema: text,
    annotations: { readOnlyHint: name === 'echo', idempotentHint: name === 'echo' },
  }
  server.registerTool(name, config, async (args, context) => {
    onMeta(context.mcpReq._meta)
    switch (name) {
      case 'fail':
        return { ...answer([{ type: 'text', text: 'it went wrong' }]), isError: true }
      case 'structured':
        return {
          ...answer([{ type: 'text', text: 'ignored' }]),
          structuredContent: { text: args.text, found: 2 },
        }
      case 'parts':
        return answer([
          { type: 'text', text: 'one' },
          { type: 'image', data: 'AA==', mimeType: 'image/png' },
          { type: 'text', text: 'two' },
        ])
      case 'image':
        return answer([{ type: 'image', data: 'AA==', mimeType: 'image/png' }])
      case 'hang':
        return new Promise<CallToolResult>(() => {})
      case 'json':
        return answer([{ type: 'text', text: '{"deep":{"value":[1,2]}}' }])
      case 'huge':
        return answer([{ type: 'text', text: 'x'.repeat(3_000_000) }])
      default:
        return answer([{ type: 'text', text: `${name}: ${args.text ?? ''}` }])
    }
  })
}

/** A web-standard handler on node:http. */
async function serve(handle: Handler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController()
  outgoing.on('close', () => gone.abort())
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD'
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers: Object.entries(incoming.headers).map(
      ([name, value]) => [name, String(value)] as [string, string],
    ),
    signal: gone.signal,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' } : {}),
  })
  const response = await handle(request)
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body === null) return void outgoing.end()
  Readable.fromWeb(response.body as never)
    .on('error', () => outgoing.destroy())
    .pipe(outgoing)
}
