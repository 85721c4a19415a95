import { describe, expect, it } from 'vitest'
import { Catalog } from '../../../src/registry/catalog.js'
import { Stamp } from '../../../src/registry/stamp.js'
import type { McpServerSettings } from '../../../src/tools/tool-settings.js'
import { createTools, type Tools } from '../../../src/tools/tools.js'
import { callOptions, callWith, loopbackSettings, toolEntry } from '../../support/tool-entry.js'
import { everythingServer } from './everything-server.js'
import { eventually } from './http-server.js'
import { type McpEra, rewritten, startMcpServer } from './mcp-server.js'

function mount(server: McpServerSettings, name = 'demo'): Tools {
  return createTools({ settings: loopbackSettings({ mcpServers: { [name]: server } }) })
}

const idsOf = (tools: Tools) => tools.mounts.entries.map(({ id }) => id)

describe.each(['sessions', 'modern'] as const)('a mounted MCP server of era "%s"', (era: McpEra) => {
  it('offers its tools, and those it gets later', async () => {
    const server = await startMcpServer(era)
    const tools = mount({ url: server.endpoint, headers: {}, mount: true })
    await eventually(() => idsOf(tools).includes('mcp.demo.echo'))
    const [echo] = tools.mounts.entries
    expect(echo).toMatchObject({
      functionName: 'mcp_demo_echo',
      origin: 'mounted',
      location: 'mcp:demo',
      definition: { description: 'echo of the test', readOnly: true, idempotent: true },
    })
    expect(tools.status.mcpServers).toMatchObject([{ server: 'demo', connected: true, tools: 8 }])
    let told = 0
    tools.mounts.subscribe(() => {
      told += 1
    })
    server.addTool('later')
    await eventually(() => idsOf(tools).includes('mcp.demo.later'))
    expect(told).toBeGreaterThan(0)
    expect(await callWith(tools.caller, echo as never, ['hi'], callOptions())).toMatchObject({
      ok: true,
      value: 'echo: hi',
    })
    await tools.close()
    await server.close()
  })

  it('keeps its tools while it is away, and comes back', async () => {
    const first = await startMcpServer(era)
    const tools = mount({ url: first.endpoint, headers: {}, mount: true })
    await eventually(() => idsOf(tools).length > 0)
    const [echo] = tools.mounts.entries
    await first.close()
    expect(await callWith(tools.caller, echo as never, ['hi'], callOptions())).toMatchObject({ ok: false })
    expect(idsOf(tools)).toContain('mcp.demo.echo')
    const second = await startMcpServer(era, first.port)
    second.addTool('new_after_restart')
    await eventually(() => idsOf(tools).includes('mcp.demo.new_after_restart'))
    await tools.close()
    await second.close()
  })
})

describe('a mounted server whose schemas are refused', () => {
  it('has none of those tools, and the status says why', async () => {
    const server = await startMcpServer('modern', 0, (response) =>
      rewritten(response, (text) => text.replaceAll('"type":"object"', '"type":"object","$async":true')),
    )
    const tools = mount({ url: server.endpoint, headers: {}, mount: true })
    const lastError = () => tools.status.mcpServers[0]?.lastError ?? ''
    await eventually(() => lastError() !== '')
    expect(lastError()).toMatch(
      /^the tool "\w+" is not mounted: inputSchema: .*\$async: asynchronous schemas/,
    )
    expect(idsOf(tools)).toEqual([])
    await tools.close()
    await server.close()
  })
})

describe('mounted servers', () => {
  it('mounts a published server over stdio, with names that templates can call', async () => {
    const tools = mount(everythingServer({ mount: true }), 'every-thing')
    await eventually(() => idsOf(tools).includes('mcp.every_thing.get_sum'))
    const sum = tools.mounts.entries.find(({ id }) => id === 'mcp.every_thing.get_sum')
    expect(await callWith(tools.caller, sum as never, [2, 3], callOptions())).toMatchObject({ ok: true })
    expect(await callWith(tools.caller, sum as never, ['two', 3], callOptions())).toMatchObject({
      ok: false,
      code: 'invalid_arguments',
    })
    await tools.close()
  })

  it('tells why a server is not there', async () => {
    const gone = await startMcpServer('modern')
    await gone.close()
    const tools = mount({ url: gone.endpoint, headers: {}, mount: true })
    await eventually(() => tools.status.mcpServers[0]?.lastError !== undefined)
    expect(tools.status.mcpServers).toMatchObject([{ server: 'demo', connected: false, tools: 0 }])
    expect(tools.status.mcpServers[0]?.lastError).toContain(`127.0.0.1:${gone.port}`)
    await tools.close()
  })
})

describe('mounted tools in the catalog', () => {
  const refuse = () => {
    throw new Error('no prompts here')
  }
  const engine = {
    maxTemplateBytes: 262_144,
    functions: new Map(),
    check: refuse,
    compileToRender: refuse,
    compileToRenderInSlices: refuse,
  }
  const mounted = { ...toolEntry('mcp.demo.echo', {}), origin: 'mounted', location: 'mcp:demo' } as const
  const document = {
    kind: 'tools',
    path: ['mcp', 'demo', 'echo'],
    location: 'zzz',
    content: { kind: 'text', text: '{"url":"http://x/"}', format: 'json' },
  } as const

  it('come and go with their source, and stand behind documents', () => {
    const catalog = new Catalog(engine)
    catalog.mount([mounted])
    expect(catalog.commit()?.snapshot.functions.get('mcp_demo_echo')).toBe(mounted)
    catalog.put(document, new Stamp(1))
    expect(catalog.commit()?.snapshot.functions.get('mcp_demo_echo')?.origin).toBe('direct')
    catalog.remove(document, new Stamp(2))
    expect(catalog.commit()?.snapshot.tools.get('mcp.demo.echo')).toBe(mounted)
    catalog.mount([])
    expect(catalog.commit()?.changes).toEqual([
      { kind: 'tool', id: 'mcp.demo.echo', revision: null, change: 'removed' },
    ])
  })
})
