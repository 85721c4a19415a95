import { join } from 'node:path'
import { Server, ServerCredentials, type UntypedHandleCall } from '@grpc/grpc-js'
import { LOOKUP_PROTO } from '../../integration/tools/grpc-server.js'
import { readBody, startHttpServer, type TestServer } from '../../integration/tools/http-server.js'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import type { GrpcPeerRow, McpPeerRow } from '../tables/peers.js'
import { type AttackedService, type AttackResult, attack, startAttackedService } from './attack.js'

/** The built service with an MCP and a gRPC server, whose answers are those of a row. */
export interface AttackedByPeer {
  readonly service: AttackedService
  /** Calls that succeed: a tool that always fails would soon not be called any more. */
  callGood(): Promise<void>
  /** Calls the tool of the MCP server. */
  askMcp(row: McpPeerRow): Promise<AttackResult>
  askGrpc(row: GrpcPeerRow): Promise<AttackResult>
  /** The exit code. */
  stop(): Promise<number | null>
}

const GOOD_RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'peer', version: '1' },
  },
  'tools/list': { tools: [{ name: 'good', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'good' }] },
}
const TOOL_TIMEOUT_MS = '1000'

/** Starts all three. */
export async function startAttackedByPeer(): Promise<AttackedByPeer> {
  let row: McpPeerRow | undefined
  let bytes: Buffer = Buffer.alloc(0)
  const mcp = await startMcpPeer(() => row)
  const grpc = new Server({ 'grpc.max_send_message_length': -1 })
  const identity = (message: Buffer) => message
  const find: UntypedHandleCall = (_call: unknown, callback: (error: null, reply: Buffer) => void) =>
    callback(null, bytes)
  const unary = { requestStream: false, responseStream: false }
  const ways = {
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  }
  grpc.addService({ Find: { path: '/test.lookup.Lookup/Find', ...unary, ...ways } }, { Find: find })
  const port = await new Promise<number>((resolve, reject) =>
    grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  )
  const url = `${mcp.url}/mcp`
  const files = createCatalogDirectory({
    'config.json': { protoFiles: [LOOKUP_PROTO] },
  })
  const grpcTool = { type: 'grpc', grpc: { url: `127.0.0.1:${port}`, method: 'test.lookup.Lookup/Find' } }
  const service = await startAttackedService(
    {
      'tools/t/mcp.json': { type: 'mcp', mcp: { url, tool: 'good' } },
      'tools/t/grpc.json': grpcTool,
    },
    {
      CONFIG_FILE: join(files.path, 'config.json'),
      TOOL_ALLOWED_HOSTS: '127.0.0.1:*',
      ...{ TOOL_TIMEOUT_MS, LOG_LEVEL: 'fatal' },
    },
  )
  const call = (id: string) => attack({ service, path: `/api/tools/t.${id}/call`, body: { arguments: {} } })
  return {
    service,
    async callGood() {
      row = undefined
      bytes = Buffer.alloc(0)
      await call('mcp')
      await call('grpc')
    },
    async askMcp(given) {
      row = given
      return call('mcp')
    },
    askGrpc(given) {
      bytes = given.bytes()
      return call('grpc')
    },
    async stop() {
      const code = await service.stop()
      await mcp.close()
      grpc.forceShutdown()
      files.dispose()
      return code
    },
  }
}

/** An MCP server that does what a row says with one kind of request. */
export function startMcpPeer(present: () => McpPeerRow | undefined): Promise<TestServer> {
  return startHttpServer(async (request, response) => {
    response.on('error', () => {})
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = JSON.parse(await readBody(request))
    if (id === undefined) return void response.writeHead(202).end()
    const row = present()
    if (row !== undefined && row.to === method) return row.answer(response, id)
    const known = GOOD_RESULTS[method]
    const answer = known === undefined ? { error: { code: -32601, message: 'no' } } : { result: known }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
}

/** What is wrong with the answer to a call; undefined for nothing: the service says something short, in time. */
export function mistakeOfPeer({ status, body, length }: AttackResult): string | undefined {
  const said = JSON.stringify(body)?.slice(0, 300)
  if (status !== 200) return `status ${status}: ${said}`
  return body.status === 'failed' && length > 64_000 ? `a failure of ${length} characters` : undefined
}
