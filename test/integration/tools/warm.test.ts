import { describe, expect, it, onTestFinished } from 'vitest'
import type { ToolEntry } from '../../../src/registry/snapshot.js'
import type { ToolSettings } from '../../../src/tools/tool-settings.js'
import { createTools, type Tools } from '../../../src/tools/tools.js'
import { callOptions, callWith, loopbackSettings, toolEntry } from '../../support/tool-entry.js'
import { startGrpcServer } from './grpc-server.js'
import { startMcpServer } from './mcp-server.js'
import { released, startRawServer } from './raw-server.js'

function openTools(settings: Partial<ToolSettings> = {}): Tools {
  const tools = createTools({ settings: loopbackSettings(settings) })
  onTestFinished(() => tools.close())
  return tools
}

const grpcTool = (id: string, url: string) =>
  toolEntry(id, {
    connection: { type: 'grpc', url, method: 'test.lookup.Lookup/Find' },
    parameters: { type: 'object' },
  })
const mcpTool = (id: string, url: string) =>
  toolEntry(id, { connection: { type: 'mcp', url, server: undefined, tool: 'echo' } })

function warm(
  tools: Tools,
  entries: readonly ToolEntry[],
  signal = new AbortController().signal,
): Promise<void> {
  return tools.warm({ entries: entries.map((entry) => [entry.id, entry] as const), context: {}, signal })
}

/** A server that takes connections, counts them, and never says anything. */
async function startSilentServer() {
  let seen = 0
  const server = await startRawServer((socket) => {
    seen += 1
    socket.resume()
  })
  onTestFinished(() => server.close())
  return {
    port: server.port,
    counts: () => ({ seen }),
    get sockets() {
      return server.sockets
    },
  }
}

describe('warming tools', () => {
  it('connects to each server once, so that first calls find a connection', async () => {
    const [grpc, mcp] = [await startGrpcServer(), await startMcpServer('both')]
    onTestFinished(() => grpc.close())
    onTestFinished(() => mcp.close())
    const tools = openTools()
    const entries = [
      grpcTool('a.one', `127.0.0.1:${grpc.port}`),
      grpcTool('a.two', `127.0.0.1:${grpc.port}`),
      mcpTool('b.one', mcp.endpoint),
    ]
    await warm(tools, entries)
    expect(mcp.lastHeaders).toBeDefined()
    const results = entries.map((entry) => callWith(tools.caller, entry, [{}], callOptions()))
    for (const result of await Promise.allSettled(results))
      expect(result).toMatchObject({ status: 'fulfilled' })
  })

  it.each([
    ['grpc', grpcTool],
    ['mcp', (id: string, url: string) => mcpTool(id, `http://${url}/mcp`)],
  ] as const)('gives up a %s server that says nothing', async (_name, tool) => {
    const silent = await startSilentServer()
    const tools = openTools({ connectTimeoutMs: 200 })
    await warm(tools, [tool('a.one', `127.0.0.1:${silent.port}`)])
    expect(silent.counts().seen).toBeGreaterThan(0)
    await released(silent)
  })

  it('goes only where calls may go, and says nothing of what fails', async () => {
    const silent = await startSilentServer()
    const tools = openTools({ allowedHosts: ['127.0.0.1:1'] })
    const forbidden = `127.0.0.1:${silent.port}`
    await warm(tools, [
      grpcTool('a.one', forbidden),
      mcpTool('b.one', `http://${forbidden}/mcp`),
      mcpTool('b.two', 'http://127.0.0.1:1/mcp'),
      toolEntry('c.one', { connection: { type: 'mcp', url: undefined, server: 'unknown', tool: 'x' } }),
      toolEntry('d.one', { connection: { type: 'restful', url: `http://${forbidden}/`, method: 'GET' } }),
    ])
    expect(silent.counts().seen).toBe(0)
  })

  it('stops when it is told to', async () => {
    const silent = await startSilentServer()
    const ending = AbortSignal.abort()
    await warm(openTools(), [mcpTool('a.one', `http://127.0.0.1:${silent.port}/`)], ending)
    expect(silent.counts().seen).toBe(0)
  })
})

describe('.proto files of the configuration', () => {
  it('are read at once, and a broken one is told then', async () => {
    const { grpc } = loopbackSettings()
    const tools = openTools({ grpc: { ...grpc, protoFiles: ['/nowhere/lookup.proto'] } })
    await expect(tools.readFiles()).rejects.toThrow('/nowhere/lookup.proto')
  })
})
