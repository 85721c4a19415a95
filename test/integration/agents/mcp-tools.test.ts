import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completion, type ScriptedUpstream, startScriptedUpstream } from '../../../src/testing.js'
import { calling, type Json } from '../../support/agent-service.js'
import { type CatalogDirectory, createCatalogDirectory } from '../../support/catalog-directory.js'
import { type ChatService, startChatService } from '../../support/chat-service.js'
import { waitUntil } from '../../support/wait-until.js'
import { type McpEra, startMcpServer, type TestMcpServer } from '../tools/mcp-server.js'

/** A machine may be many times slower than this one. */
const PATIENCE_MS = 30_000

describe.each(['sessions', 'modern'] as const)(
  'tools of an MCP server of era "%s"',
  { timeout: 2 * PATIENCE_MS },
  (era: McpEra) => {
    let mcp: TestMcpServer
    let upstream: ScriptedUpstream
    let catalog: CatalogDirectory
    let service: ChatService
    beforeAll(async () => {
      mcp = await startMcpServer(era)
      upstream = await startScriptedUpstream()
      catalog = createCatalogDirectory({
        'agents/t/main.json': {
          tools: ['mcp.demo.*', 'd.say'],
          approvals: { deny: ['mcp.demo.huge'] },
        },
        'tools/d/say.json': {
          type: 'mcp',
          mcp: { server: 'demo', tool: 'structured' },
          parameters: [{ name: 'text', type: 'string' }],
        },
      })
      service = await startChatService({
        environment: { CATALOG_DIR: catalog.path, LLM_MODEL: 'gpt', TOOL_ALLOWED_HOSTS: '127.0.0.1' },
        file: {
          upstreams: { first: { baseUrl: upstream.url } },
          mcpServers: { demo: { url: mcp.endpoint, mount: true } },
        },
      })
      await until('mcp.demo.echo')
    })
    afterAll(async () => {
      await service.close()
      await upstream.close()
      await mcp.close()
      catalog.dispose()
    })

    const sent = (index: number): Json => upstream.requests[index]?.body
    const get = async (path: string): Promise<{ status: number; body: Json }> => {
      const response = await fetch(service.url + path)
      return { status: response.status, body: await response.json() }
    }
    const until = (tool: string) =>
      waitUntil(
        async () => (await get(`/api/tools?q=${tool}`)).body.total === 1,
        `the tool ${tool}`,
        PATIENCE_MS,
      )
    /** What a session's model reads of one call. */
    async function resultOf(name: string, args: object): Promise<string> {
      upstream.script(calling(name, args), completion('done'))
      const made = await service.post('/api/sessions', { agent: 't.main' })
      expect(made.status).toBe(201)
      const { id } = (await made.json()) as Json
      const turn = await service.post(`/api/sessions/${id}/turns`, { input: 'go' })
      expect(turn.status).toBe(200)
      return sent(1).messages.find(({ role }: Json) => role === 'tool').content
    }

    it('are an agent’s like any others: seen, and called', async () => {
      expect(await resultOf('mcp_demo_echo', { text: 'hi' })).toBe('echo: hi')
      const seen = sent(0).tools.map((tool: Json) => tool.function.name)
      expect(seen).toEqual(expect.arrayContaining(['d_say', 'mcp_demo_echo', 'mcp_demo_fail']))
      expect(await resultOf('d_say', { text: 'hi' })).toBe('{"text":"hi","found":2}')
    })

    it.each([
      ['mcp_demo_fail', {}, /^rejected: .*it went wrong/],
      ['mcp_demo_echo', { text: 5 }, /^invalid_arguments: .*text/],
      ['mcp_demo_huge', {}, /^forbidden: /],
      ['mcp_demo_ecko', {}, /^unknown_tool: .*mcp_demo_echo/],
    ])('that fail are results: %s %j', async (name, args, expected) => {
      expect(await resultOf(name, args)).toMatch(expected)
    })

    it('come and go: a new one is the agent’s at its next turn', async () => {
      mcp.addTool('later')
      await until('mcp.demo.later')
      expect(await resultOf('mcp_demo_later', { text: 'now' })).toBe('later: now')
    })
  },
)
