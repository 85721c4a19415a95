import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openMcpTools } from '../../../src/agents/tools/mcp-tools.js'
import { ToolRegistry } from '../../../src/agents/tools/tool-registry.js'
import type { ToolDefinition } from '../../../src/registry/snapshot.js'
import { createTools, type Tools } from '../../../src/tools/tools.js'
import type { CallContext } from '../../../src/util/call-context.js'
import { callOptions, callWith, loopbackSettings, toolEntry } from '../../support/tool-entry.js'
import { everythingServer } from './everything-server.js'
import { eventually } from './http-server.js'
import { type McpEra, startMcpServer, type TestMcpServer } from './mcp-server.js'

function call(
  tools: Tools,
  url: string,
  tool: string,
  changes: Partial<ToolDefinition> = {},
  options: Partial<CallContext> = {},
) {
  const connection = { type: 'mcp', url, server: undefined, tool } as const
  return callWith(tools.caller, toolEntry('m.tool', { connection, ...changes }), ['hi'], callOptions(options))
}

describe('the tools of a server in a program', () => {
  it('are called over a connection that the program closes', async () => {
    const server = await startMcpServer('both')
    const { tools, close } = await openMcpTools({ name: 'ours', url: server.url })
    try {
      const registry = new ToolRegistry()
      for (const tool of tools) registry.register(tool)
      expect(registry.listTools()).toContain('ours_echo')
      expect(await registry.invoke('ours_echo', { text: 'hi' })).toBe('echo: hi')
      await expect(registry.invoke('ours_fail', {})).rejects.toMatchObject({ code: 'tool_failed' })
    } finally {
      await close()
      await server.close()
    }
  })

  it('leave nothing behind that promises carry on', async () => {
    const carried = () => Object.getOwnPropertySymbols(Promise.resolve()).length
    const server = await startMcpServer('both')
    const before = carried()
    const { tools, close } = await openMcpTools({ name: 'ours', url: server.url })
    const registry = new ToolRegistry()
    for (const tool of tools) registry.register(tool)
    await registry.invoke('ours_echo', { text: 'hi' })
    await close()
    expect(carried()).toBe(before)
    await server.close()
  })

  it('are not there when the server is not', async () => {
    await expect(openMcpTools({ name: 'gone', url: 'http://127.0.0.1:9/mcp' })).rejects.toThrow()
  })
})

describe.each(['sessions', 'modern', 'both'] as const)('mcp tools of a server of era "%s"', (era: McpEra) => {
  let server: TestMcpServer
  let tools: Tools

  beforeAll(async () => {
    server = await startMcpServer(era)
    tools = createTools({ settings: loopbackSettings() })
  })
  afterAll(async () => {
    await tools.close()
    await server.close()
  })

  it.each([
    ['text', 'echo', {}, 'echo: hi'],
    ['structured content', 'structured', {}, { text: 'hi', found: 2 }],
    ['a picked result', 'structured', { result: 'found' }, 2],
    ['JSON in text, where something is picked', 'json', { result: 'deep.value.1' }, 2],
    [
      'JSON in text, where an object is promised',
      'json',
      { returns: { type: 'object' } },
      { deep: { value: [1, 2] } },
    ],
    ['JSON as text, where nothing is promised', 'json', {}, '{"deep":{"value":[1,2]}}'],
  ])('reads %s', async (_name, tool, changes, value) => {
    expect(await call(tools, server.endpoint, tool, changes)).toMatchObject({ ok: true, value })
  })

  it('joins text parts and says what it left out', async () => {
    expect(await call(tools, server.endpoint, 'parts')).toMatchObject({
      ok: true,
      value: 'one\ntwo',
      warnings: ['1 parts of the answer are not text and were left out'],
    })
  })

  it.each([
    ['isError', 'fail', 'rejected', 'it went wrong'],
    ['no text', 'image', 'bad_response', 'no text'],
    ['no such tool', 'nothing', 'rejected', 'nothing'],
    ['too much', 'huge', 'too_large', 'larger than'],
  ])('fails as data on %s', async (_name, tool, code, message) => {
    const outcome = await call(tools, server.endpoint, tool)
    expect(outcome).toMatchObject({ ok: false, code })
    expect(outcome.ok ? '' : outcome.message).toContain(message)
  })

  it('keeps its own deadline and lets go of the socket', async () => {
    const own = createTools({ settings: loopbackSettings() })
    const before = server.sockets
    const outcome = await call(own, server.endpoint, 'hang', { timeoutMs: 300 })
    expect(outcome).toMatchObject({ ok: false, code: 'timeout' })
    expect(await call(own, server.endpoint, 'echo')).toMatchObject({ ok: true })
    await own.close()
    await eventually(() => server.sockets <= before)
  })

  it('sends named headers, the request id, the trace and the idempotency key', async () => {
    const headers = { authorization: 'Bearer ${secret:KEY}' }
    const own = createTools({ settings: loopbackSettings({ secrets: { KEY: { value: 'top-secret' } } }) })
    await call(own, server.endpoint, 'echo', { headers }, { traceparent: '00-1-2-01', idempotencyKey: 'k-1' })
    expect(server.lastHeaders?.get('authorization')).toBe('Bearer top-secret')
    expect(server.lastHeaders?.get('x-request-id')).toBe('test-request')
    expect(server.lastHeaders?.get('traceparent')).toBe('00-1-2-01')
    expect(server.lastMeta).toMatchObject({ traceparent: '00-1-2-01', idempotencyKey: 'k-1' })
    await own.close()
  })

  it('reconnects once when the session is dead', async () => {
    expect(await call(tools, server.endpoint, 'echo')).toMatchObject({ ok: true })
    server.forgetSessions()
    expect(await call(tools, server.endpoint, 'echo')).toMatchObject({ ok: true })
  })

  it('survives a restart between calls', async () => {
    const first = await startMcpServer(era)
    expect(await call(tools, first.endpoint, 'echo')).toMatchObject({ ok: true })
    await first.close()
    expect(await call(tools, first.endpoint, 'echo')).toMatchObject({ ok: false })
    const second = await startMcpServer(era, first.port)
    expect(await call(tools, second.endpoint, 'echo')).toMatchObject({ ok: true })
    await second.close()
  })

  it('shares one connection', async () => {
    const own = createTools({ settings: loopbackSettings() })
    await call(own, server.endpoint, 'echo')
    const before = server.requests.length
    await Promise.all(Array.from({ length: 5 }, () => call(own, server.endpoint, 'echo')))
    expect(server.requests.length - before).toBe(5)
    await own.close()
  })
})

const EVERYTHING = everythingServer({ mount: false })

describe('mcp tools over stdio', () => {
  let tools: Tools
  beforeAll(() => {
    tools = createTools({ settings: loopbackSettings({ mcpServers: { everything: EVERYTHING } }) })
  })
  afterAll(() => tools.close())

  const callServer = (server: string, tool: string, args = {}, timeoutMs = 10_000) =>
    callWith(
      tools.caller,
      toolEntry('m.tool', {
        connection: { type: 'mcp', url: undefined, server, tool },
        parameters: { type: 'object' },
        timeoutMs,
      }),
      [args],
      callOptions({ deadlineAt: Date.now() + 15_000 }),
    )

  it('calls a published server', async () => {
    expect(await callServer('everything', 'echo', { message: 'hello' })).toMatchObject({
      ok: true,
      value: 'Echo: hello',
    })
    expect(await callServer('everything', 'get-sum', { a: 2, b: 3 })).toMatchObject({ ok: true })
  })

  it('needs the configuration to name the server', async () => {
    expect(await callServer('other', 'echo')).toMatchObject({ ok: false, code: 'invalid_tool' })
  })

  it('survives a program that does not start', async () => {
    const broken = { ...EVERYTHING, command: '/no/such/program' }
    const own = createTools({ settings: loopbackSettings({ mcpServers: { broken } }) })
    const tool = toolEntry('m.tool', {
      connection: { type: 'mcp', url: undefined, server: 'broken', tool: 'echo' },
    })
    expect(await callWith(own.caller, tool, [], callOptions())).toMatchObject({
      ok: false,
      code: 'unreachable',
    })
    await own.close()
  })
})
