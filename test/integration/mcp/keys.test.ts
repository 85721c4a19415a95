import { afterAll, beforeAll, expect, it } from 'vitest'
import { BUNDLED_IDS } from '../../support/bundled-ids.js'
import { createKeysFile, type TestKeysFile } from '../../support/keys-file.js'
import { release, version } from '../../support/lives.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { connectMcp } from './mcp-client.js'

const KEYS = [
  { name: 'reader', key: 'key-reader', scopes: ['read'] },
  { name: 'renderer', key: 'key-renderer', scopes: ['render'] },
  { name: 'team', key: 'key-team', scopes: ['read', 'render'], prompts: ['team.*'] },
  { name: 'runner', key: 'key-runner', scopes: ['read', 'agents', 'tools'] },
  { name: 'bound', key: 'key-bound', scopes: ['read', 'render'], labels: ['production'] },
]
const released = version('team.one', 1, { userPrompt: 'One, released', description: 'Released' })

let app: TestApp
let url: string
let file: TestKeysFile
beforeAll(async () => {
  file = createKeysFile(KEYS)
  app = await startTestApp(
    {
      'templates/team/one.json': { userPrompt: 'One' },
      'templates/team/one@1.json': released.document,
      'releases/team/one/production.json': release(released),
      'templates/other/two.json': { userPrompt: 'Two' },
      'environs/city.json': '"Ulm"',
      'tools/look.json': { description: 'Looks', url: 'http://127.0.0.1:9/none' },
      'agents/helper.json': { instructions: 'Help', model: 'echo' },
    },
    { KEYS_FILE: file.path, MAX_LOOP_DELAY_MS: '0' },
  )
  url = await app.app.server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await app.close()
  file.dispose()
})

/** What a key sees, and what it is told when it asks for more. */
async function seenBy(name: string) {
  const client = await connectMcp(url, '2026', { headers: { authorization: `Bearer key-${name}` } })
  const failure = (error: { readonly data?: { readonly code?: unknown } }) => error.data?.code
  const get = (id: string) =>
    client.getPrompt({ name: id }).then(({ messages }) => messages[0]?.content, failure)
  const complete = {
    ref: { type: 'ref/resource', uri: 'prompt://{id}' },
    argument: { name: 'id', value: '' },
  } as const
  const seen = {
    prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
    resources: (await client.listResources()).resources.map(({ uri }) => uri),
    completed: (await client.complete(complete)).completion.values,
    tools: (await client.listTools()).tools.map((tool) => tool.name).slice(2),
    one: await get('team.one'),
    two: await get('other.two'),
    near: await client.getPrompt({ name: 'other.too' }).catch((error: Error) => error.message),
    agent: await client
      .callTool({ name: 'agent_helper', arguments: { input: 'Hi' } })
      .then(({ content }) => content[0], failure),
  }
  await client.close()
  return seen
}

const text = (said: string) => ({ type: 'text', text: said })
const PROMPTS = ['other.two', ...BUNDLED_IDS, 'team.one']
const ALL = { prompts: PROMPTS, completed: PROMPTS }
const RESOURCES = [...PROMPTS.map((id) => `prompt://${id}`), 'environ://city']
const NOTHING = { prompts: [], completed: [], resources: [], tools: [] }

it.each([
  [
    'reader',
    { ...ALL, resources: RESOURCES, tools: [], one: 'forbidden', two: 'forbidden', agent: 'tool_not_found' },
  ],
  ['renderer', { ...NOTHING, one: text('One'), two: text('Two'), agent: 'tool_not_found' }],
  [
    'team',
    {
      prompts: ['team.one'],
      completed: ['team.one'],
      resources: ['prompt://team.one', 'environ://city'],
      one: text('One'),
      two: 'prompt_not_found',
    },
  ],
  ['runner', { ...ALL, tools: ['agent_helper', 'look'], one: 'forbidden', agent: text('Hi') }],
])('%s sees what its key may', async (name, expected) => {
  const seen = await seenBy(name)
  expect(seen).toMatchObject(expected)
  if (name !== 'reader' && name !== 'runner') expect(seen.near).not.toContain('other.two')
})

it('a key with labels sees what these serve, and nothing else', async () => {
  const { prompts, resources, completed, one, two, near } = await seenBy('bound')
  expect({ prompts, resources, completed, one, two }).toEqual({
    ...{ prompts: ['team.one'], completed: ['team.one'], resources: ['prompt://team.one', 'environ://city'] },
    ...{ one: text('One, released'), two: 'label_not_found' },
  })
  expect(near).not.toContain('other.two')
  const client = await connectMcp(url, '2026', { headers: { authorization: 'Bearer key-bound' } })
  expect((await client.listPrompts()).prompts[0]).toMatchObject({ description: 'Released' })
  const listed = await client.callTool({ name: 'list_prompts', arguments: {} })
  expect(JSON.stringify(listed.content)).not.toContain('other.two')
  for (const id of ['team.one@1', 'team.one@staging'])
    await expect(client.getPrompt({ name: id })).rejects.toMatchObject({
      data: { code: expect.stringMatching(/^(version|label)_not_found$/) },
    })
  await client.close()
})

it('without a key there is nothing', async () => {
  await expect(connectMcp(url, '2026')).rejects.toThrow()
})
