import { resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUNDLED_IDS } from '../../support/bundled-ids.js'
import { type CatalogDirectory, createCatalogDirectory } from '../../support/catalog-directory.js'
import { COMPILES_LATE } from '../../support/compiles-late.js'
import { eventually } from '../../support/eventually.js'
import { ERAS } from './mcp-client.js'

const program = resolve(import.meta.dirname, '../../../dist/main.js')

describe.each(ERAS)('ai-prompt-shell mcp, a client of %s', (era) => {
  let catalog: CatalogDirectory
  let client: Client
  let lists = 0
  const updated: string[] = []

  beforeAll(async () => {
    catalog = createCatalogDirectory({
      'templates/a/one.json': { userPrompt: 'One {{.name}}' },
      'environs/name.json': '"Ada"',
      'agents/parrot.json': { instructions: 'Repeat', model: 'echo' },
    })
    const onChanged = () => {
      lists += 1
    }
    client = new Client(
      { name: 'test', version: '1.0.0' },
      {
        capabilities: {},
        versionNegotiation: { mode: era === '2025' ? 'legacy' : 'auto' },
        listChanged: { prompts: { autoRefresh: false, debounceMs: 0, onChanged } },
      },
    )
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void updated.push(params.uri),
    )
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [...COMPILES_LATE, program, 'mcp', '--catalog', catalog.path],
        stderr: 'pipe',
      }),
    )
  })
  afterAll(async () => {
    await client.close()
    catalog.dispose()
  })

  it('lists and renders', async () => {
    expect((await client.listPrompts()).prompts).toMatchObject(
      ['a.one', ...BUNDLED_IDS].map((name) => ({ name })),
    )
    const { messages } = await client.getPrompt({ name: 'a.one' })
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'One Ada' } }])
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'list_prompts',
      'render_prompt',
      'agent_parrot',
    ])
  })

  it('keeps conversations with agents as long as it runs', async () => {
    const ask = async (input: string, session: string) =>
      JSON.stringify((await client.callTool({ name: 'agent_parrot', arguments: { input, session } })).content)
    const [, session = ''] = /session: ([\w-]+)/.exec(await ask('One', 'new')) ?? []
    expect(await ask('Two', session)).toContain(`"Two"},{"type":"text","text":"session: ${session}"`)
    expect(await ask('Two', 'unknown')).toContain('session_not_found')
  })

  it('tells of changes', async () => {
    const uri = 'environ://name'
    if (era === '2025') await client.subscribeResource({ uri })
    else await client.listen({ resourceSubscriptions: [uri] })
    catalog.write('environs/name.json', '"Grace"')
    catalog.write('environs/other.json', '1')
    catalog.write('templates/b/two.json', { userPrompt: 'Two' })
    await eventually(() => [lists, updated]).toEqual([1, [uri]])
  })
})
