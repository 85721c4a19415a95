import type { ServerResponse } from 'node:http'
import { list, names } from './json-texts.js'

/** What an MCP server does with a request. */
export interface McpPeerRow {
  readonly name: string
  /** Which request; all others are answered well. */
  readonly to: 'tools/call' | 'tools/list'
  /** Writes the answer to the request of this id. */
  readonly answer: (response: ServerResponse, id: unknown) => void
}

/** What a gRPC server answers: the bytes of a `test.lookup.Findings`. */
export interface GrpcPeerRow {
  readonly name: string
  readonly bytes: () => Buffer
}

const NEARLY_MB = 900_000

/** An answer whose result is this JSON. */
function result(name: string, json: () => string, to: McpPeerRow['to'] = 'tools/call'): McpPeerRow {
  return {
    name,
    to,
    answer: (response, id) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json()}}`)
    },
  }
}

const content = (parts: string) => `{"content":[${parts}]}`
const structured = (value: string) => `{"content":[],"structuredContent":{"a":${value}}}`
const tool = (name: string, schema = '{"type":"object"}') =>
  `{"name":${JSON.stringify(name)},"inputSchema":${schema}}`
const tools = (count: number, schema?: string) =>
  `{"tools":[${Array.from({ length: count }, (_, index) => tool(`tool${index}`, schema)).join()}]}`

/** Answers without a measure, without an end, and such as are none. */
export const MCP_PEERS: readonly McpPeerRow[] = [
  result('lists 450,000 deep', () => structured('['.repeat(NEARLY_MB / 2) + ']'.repeat(NEARLY_MB / 2))),
  result('300,000 values', () => structured(list('1', 300_000))),
  result('90,000 values', () => structured(list('1', 90_000))),
  result('40,000 names', () => structured(names(40_000))),
  result('a text of 900 KB', () => content(`{"type":"text","text":"${'x'.repeat(NEARLY_MB)}"}`)),
  result('a text of 3 MB', () => content(`{"type":"text","text":"${'x'.repeat(3_000_000)}"}`)),
  result('JSON of 90,000 values in a text', () =>
    content(`{"type":"text","text":${JSON.stringify(list('1', 90_000))}}`),
  ),
  result('20,000 texts', () => content(list('{"type":"text","text":"a"}', 20_000).slice(1, -1))),
  result('a number of 900,000 digits', () => structured('7'.repeat(NEARLY_MB))),
  result('no content', () => '{}'),
  result('content that is a number', () => '{"content":7}'),
  result('parts that are numbers', () => content('7,8')),
  result('a text that is a number', () => content('{"type":"text","text":7}')),
  result('a result that is null', () => 'null'),
  {
    name: 'an error of 900 KB',
    to: 'tools/call',
    answer: (response, id) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id, error: { code: -1, message: 'e'.repeat(NEARLY_MB) } }),
      )
    },
  },
  {
    name: 'a page of HTML',
    to: 'tools/call',
    answer: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hi</h1>'),
  },
  {
    name: 'a reset connection',
    to: 'tools/call',
    answer: (response) => void response.socket?.resetAndDestroy(),
  },
  { name: 'no answer', to: 'tools/call', answer: () => {} },
  {
    name: 'half an answer',
    to: 'tools/call',
    answer: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"js'),
  },
  {
    name: 'notifications without an end',
    to: 'tools/call',
    answer: (response) => stream(response, notification('x')),
  },
  {
    name: 'large notifications without an end',
    to: 'tools/call',
    answer: (response) => stream(response, notification('x'.repeat(60_000))),
  },
  { name: 'an event without an end', to: 'tools/call', answer: (response) => stream(response, 'data: x') },
  result('5,000 tools', () => tools(5_000), 'tools/list'),
  result('400 tools with large schemas', () => tools(400, largeSchema(40)), 'tools/list'),
  result('a tool with a deep schema', () => tools(1, deepSchema(150)), 'tools/list'),
  result('a tool with a long name', () => `{"tools":[${tool('n'.repeat(800_000))}]}`, 'tools/list'),
  result('tools that are numbers', () => '{"tools":[1,2,3]}', 'tools/list'),
  result(
    'pages without an end',
    () => `{"tools":[${tool('one')}],"nextCursor":"${Math.random()}"}`,
    'tools/list',
  ),
]

function notification(data: string): string {
  const params = { level: 'info', data }
  return `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params })}\n\n`
}

/** Writes the same again and again, as fast as it is read. */
function stream(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = () => {
    while (!response.destroyed && response.write(text));
    if (!response.destroyed) response.once('drain', () => setTimeout(write, 1))
  }
  write()
}

function largeSchema(count: number): string {
  const properties = Array.from({ length: count }, (_, index) => [`property${index}`, { type: 'string' }])
  return JSON.stringify({ type: 'object', properties: Object.fromEntries(properties) })
}

function deepSchema(depth: number): string {
  return `${'{"type":"object","properties":{"a":'.repeat(depth)}{}${'}}'.repeat(depth)}`
}

const fill = (count: number, bytes: readonly number[]) =>
  Buffer.from(new Uint8Array(count * bytes.length).map((_, index) => bytes[index % bytes.length] ?? 0))

/** Messages that hold too much, or are none. */
export const GRPC_PEERS: readonly GrpcPeerRow[] = [
  { name: '500,000 empty parts', bytes: () => fill(500_000, [0x12, 0]) },
  { name: '90,000 empty parts', bytes: () => fill(90_000, [0x12, 0]) },
  {
    name: 'a text of 900 KB',
    bytes: () => Buffer.concat([Buffer.from([0x1a, 0xa0, 0xf7, 0x36]), Buffer.alloc(NEARLY_MB, 'x')]),
  },
  { name: 'unknown fields', bytes: () => fill(300_000, [0x78, 1]) },
  { name: 'what is cut off', bytes: () => Buffer.from([0x12, 0x7f, 1]) },
  { name: 'what is no message', bytes: () => Buffer.alloc(NEARLY_MB, 0xff) },
  { name: '3 MB', bytes: () => Buffer.alloc(3_000_000, 0x12) },
]
