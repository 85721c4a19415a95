// A demo tool server: REST, gRPC and MCP on one port, answering the tools of examples/catalog.
//
//   npm run tool-server
//   TOOL_BASE_URL=http://127.0.0.1:9000 npm start
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import grpc from '@grpc/grpc-js'
import protoLoader from '@grpc/proto-loader'
import { ReflectionService } from '@grpc/reflection'
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { CALLERS, DICTIONARY, ISSUES, PASSAGES, REFERENCES } from './project.mjs'

const { HOST = '127.0.0.1', PORT = '9000' } = process.env
const MAX_BODY_BYTES = 1024 * 1024
/** What an HTTP/2 connection begins with: gRPC is HTTP/2, everything else here is HTTP/1. */
const HTTP2_PREFACE = 'PRI'

const REST = {
  'GET /references': ({ symbol }) => (REFERENCES[symbol] ?? []).join('\n'),
  'GET /callers': ({ function: name, limit = 20 }) => (CALLERS[name] ?? []).slice(0, Number(limit)),
  'POST /translate/zh/en': ({ code = '' }) => ({ translated_code: translate(code) }),
}

function translate(code) {
  return Object.entries(DICTIONARY).reduce(
    (text, [chinese, english]) => text.replaceAll(chinese, english),
    code,
  )
}

function search(query, limit) {
  const words = query
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => word.length > 2)
  const score = ({ title, text }) =>
    words.filter((word) => `${title} ${text}`.toLowerCase().includes(word)).length
  const found = PASSAGES.filter((passage) => score(passage) > 0)
  return found.sort((one, other) => score(other) - score(one)).slice(0, limit || 3)
}

function createRestServer() {
  const mcp = createMcpHandler(createMcpServer)
  return createHttpServer(async (request, response) => {
    const url = new URL(request.url, 'http://localhost')
    if (url.pathname === '/mcp') return forward(mcp, request, response)
    const answer = REST[`${request.method} ${url.pathname}`]
    if (answer === undefined) return send(response, 404, { error: `no ${request.method} ${url.pathname}` })
    try {
      const body = request.method === 'GET' ? Object.fromEntries(url.searchParams) : await readJson(request)
      send(response, 200, answer(body))
    } catch (error) {
      send(response, 400, { error: error.message })
    }
  })
}

async function readJson(request) {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > MAX_BODY_BYTES) throw new Error('the body is too large')
  }
  return JSON.parse(text)
}

function send(response, status, value) {
  const isText = typeof value === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json' })
  response.end(isText ? value : JSON.stringify(value))
}

function createMcpServer() {
  const server = new McpServer({ name: 'demo-issues', version: '1.0.0' })
  server.registerTool(
    'recent_issues',
    {
      description: 'Open issues of a component, newest first',
      inputSchema: fromJsonSchema({
        type: 'object',
        properties: {
          component: { type: 'string', description: 'api, pricing or storage; all when absent' },
        },
      }),
      annotations: { readOnlyHint: true },
    },
    async ({ component }) => {
      const issues = ISSUES.filter((issue) => component === undefined || issue.component === component)
      const lines = issues.toReversed().map(({ id, title }) => `#${id} ${title}`)
      return { content: [{ type: 'text', text: lines.join('\n') }] }
    },
  )
  return server
}

/** Gives a node:http request to a web-standard handler. */
async function forward(handler, request, response) {
  const body = request.method === 'POST' ? { body: Readable.toWeb(request), duplex: 'half' } : {}
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
  const url = `http://${request.headers.host ?? 'localhost'}${request.url}`
  const answer = await handler.fetch(new Request(url, { method: request.method, headers, ...body }))
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) return response.end()
  Readable.fromWeb(answer.body)
    .on('error', () => response.destroy())
    .pipe(response)
}

async function startGrpcServer() {
  const file = fileURLToPath(new URL('docs.proto', import.meta.url))
  const definition = protoLoader.loadSync(file, { keepCase: true })
  const { demo } = grpc.loadPackageDefinition(definition)
  const server = new grpc.Server()
  server.addService(demo.docs.v1.Docs.service, {
    Search: ({ request }, callback) => callback(null, { passages: search(request.query, request.limit) }),
  })
  new ReflectionService(definition).addToServer(server)
  const port = await new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    )
  })
  return { server, port }
}

/** One port for all: the first bytes of a connection tell whose it is. */
function createFrontDoor(rest, grpcPort) {
  return createTcpServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', (first) => {
      socket.pause()
      if (!first.subarray(0, HTTP2_PREFACE.length).equals(Buffer.from(HTTP2_PREFACE))) {
        rest.emit('connection', socket)
        socket.unshift(first)
        return socket.resume()
      }
      const inner = connect(grpcPort, '127.0.0.1')
      inner.on('error', () => socket.destroy()).on('close', () => socket.destroy())
      socket.on('close', () => inner.destroy())
      inner.write(first)
      socket.pipe(inner).pipe(socket)
    })
  })
}

const rest = createRestServer()
const inner = await startGrpcServer()
const door = createFrontDoor(rest, inner.port)
door.listen(Number(PORT), HOST, () => {
  const { port } = door.address()
  console.log(`Tools over REST, gRPC and MCP on http://${HOST}:${port}`)
  console.log(`Try them:  TOOL_BASE_URL=http://127.0.0.1:${port} npm start`)
})
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    inner.server.forceShutdown()
    process.exit(0)
  })
}
