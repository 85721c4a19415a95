import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTools } from '../../src/tools/tools.js'
import { type McpEra, rewritten, startMcpServer } from '../integration/tools/mcp-server.js'
import { someOf } from '../support/some-of.js'
import { callOptions, callWith, loopbackSettings, toolEntry } from '../support/tool-entry.js'
import { leastBusy } from './support/least-busy.js'
import { LOOP_BOUND_MS } from './support/loop-bound.js'
import { type AttackedByTool, mistakeOfCall, startAttackedByTool } from './support/tool-attack.js'
import { TOOLS } from './tables/tools.js'

describe('a REST tool that answers', () => {
  let attacked: AttackedByTool
  beforeAll(async () => {
    attacked = await startAttackedByTool()
  })
  afterAll(async () => {
    expect(await attacked.stop()).toBe(0)
  })

  it.each(someOf(TOOLS))('$name', async (row) => {
    const busy = await leastBusy(async () => {
      await attacked.prepare(row)
      const answer = await attacked.call(row)
      expect(mistakeOfCall(row, answer)).toBeUndefined()
      return answer
    })
    expect(busy).toBeLessThan(LOOP_BOUND_MS)
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

describe('an MCP server that answers with more than may be parsed in one piece', () => {
  it.each([
    ['400,000 values', '1,'.repeat(400_000), 'has more than 100000 values'],
    ['lists 100,000 deep', '['.repeat(100_000), 'is nested deeper than 200 levels'],
  ])('is refused: %s', async (_name, begin, problem) => {
    const server = await startMcpServer('modern', 0, (response) =>
      rewritten(response, (text) => text.replace('"content":[', `"content":[${begin}`)),
    )
    const tools = createTools({ settings: loopbackSettings() })
    const connection = { type: 'mcp', url: server.endpoint, server: undefined, tool: 'echo' } as const
    const outcome = await callWith(tools.caller, toolEntry('m.tool', { connection }), ['hi'], callOptions())
    expect(outcome).toMatchObject({ ok: false, code: 'bad_response' })
    expect(outcome.ok ? '' : outcome.message).toContain(problem)
    await tools.close()
    await server.close()
  })
})
