import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTools } from '../../src/tools/tools.js'
import { startHttpServer, type TestServer } from '../integration/tools/http-server.js'
import { type McpEra, startMcpServer } from '../integration/tools/mcp-server.js'
import { callOptions, callWith, loopbackSettings, toolEntry } from '../support/tool-entry.js'

const JSON_TYPE = { 'content-type': 'application/json' }
const WHOLE = '{"text":"hi"}'

interface Row {
  readonly name: string
  readonly encoding: string | readonly string[]
  readonly body: Buffer
  readonly status?: number
}

const refused: readonly Row[] = [
  { name: 'Brotli', encoding: 'br', body: brotliCompressSync(WHOLE) },
  { name: 'Brotli in capitals', encoding: 'BR', body: brotliCompressSync(WHOLE) },
  { name: 'Brotli that is none', encoding: 'br', body: Buffer.from(WHOLE) },
  { name: 'Brotli in gzip', encoding: 'br, gzip', body: gzipSync(brotliCompressSync(WHOLE)) },
  { name: 'gzip in Brotli', encoding: 'gzip,br', body: brotliCompressSync(gzipSync(WHOLE)) },
  { name: 'Brotli in a second header', encoding: ['gzip', 'br'], body: brotliCompressSync(gzipSync(WHOLE)) },
  { name: 'Brotli with a status', encoding: 'br', body: brotliCompressSync(WHOLE), status: 503 },
  { name: 'Zstandard', encoding: 'zstd', body: Buffer.from(WHOLE) },
  { name: 'an unknown encoding', encoding: 'x-new', body: Buffer.from(WHOLE) },
]

describe('a REST tool that compresses what nobody asked for', () => {
  let server: TestServer
  let answer: Row = refused[0] as Row
  let promised: unknown

  beforeAll(async () => {
    server = await startHttpServer((request, response) => {
      promised = request.headers['accept-encoding']
      const encoding = typeof answer.encoding === 'string' ? answer.encoding : [...answer.encoding]
      response.setHeader('content-encoding', encoding)
      response.writeHead(answer.status ?? 200, JSON_TYPE)
      response.end(answer.body)
    })
  })
  afterAll(() => server.close())

  async function call(row: Row) {
    answer = row
    const tools = createTools({ settings: loopbackSettings() })
    const connection = { type: 'restful', url: server.url, method: 'POST' } as const
    try {
      return await callWith(tools.caller, toolEntry('t.run', { connection }), [], callOptions())
    } finally {
      await tools.close()
    }
  }

  it.each(refused)('fails and says why: $name', async (row) => {
    const outcome = await call(row)
    expect(promised).toBe('gzip, deflate')
    expect(outcome).toMatchObject({ ok: false, code: 'bad_response' })
    expect(outcome.ok ? '' : outcome.message).toMatch(/sent content-encoding .*, which is refused/)
  })

  it.each([
    { name: 'gzip', encoding: 'gzip', body: gzipSync(WHOLE) },
    { name: 'deflate', encoding: 'Deflate', body: deflateSync(WHOLE) },
    { name: 'nothing', encoding: 'identity', body: Buffer.from(WHOLE) },
  ])('is read: $name', async (row) => {
    expect(await call(row)).toMatchObject({ ok: true, value: { text: 'hi' } })
  })
})

describe.each(['sessions', 'modern', 'both'] as const)('an MCP server of era "%s"', (era: McpEra) => {
  it.each([
    { encoding: 'br', compress: brotliCompressSync },
    { encoding: 'gzip, br', compress: (bytes: Buffer) => brotliCompressSync(gzipSync(bytes)) },
  ])('that answers with content-encoding $encoding is refused', async ({ encoding, compress }) => {
    let compressed = 0
    const server = await startMcpServer(era, 0, async (response) => {
      const type = response.headers.get('content-type') ?? ''
      if (!/json|event-stream/.test(type) || response.status !== 200) return response
      compressed += 1
      const headers = new Headers(response.headers)
      headers.set('content-encoding', encoding)
      // The older era leaves its event stream open: of that one, the beginning will do.
      const bytes = type.includes('json')
        ? Buffer.from(await response.arrayBuffer())
        : Buffer.from(': hi\n\n')
      return new Response(new Uint8Array(compress(bytes)), { headers })
    })
    const tools = createTools({ settings: loopbackSettings() })
    try {
      const connection = { type: 'mcp', url: server.endpoint, server: undefined, tool: 'echo' } as const
      const outcome = await callWith(tools.caller, toolEntry('m.tool', { connection }), ['hi'], callOptions())
      expect(outcome).toMatchObject({ ok: false, code: 'bad_response' })
      expect(outcome.ok ? '' : outcome.message).toContain('content-encoding br, which is refused')
      expect(compressed).toBeGreaterThan(0)
      expect(server.lastHeaders?.get('accept-encoding')).toBe('gzip, deflate')
    } finally {
      await tools.close()
      await server.close()
    }
  })
})
