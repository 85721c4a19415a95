import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ScriptedUpstream, startScriptedUpstream } from '../../../src/testing.js'
import { bucketOf } from '../../../src/versions/split.js'
import { calling } from '../../support/agent-service.js'
import { BUNDLED_IDS } from '../../support/bundled-ids.js'
import { eventually } from '../../support/eventually.js'
import { release, version } from '../../support/lives.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { sendJson, startHttpServer, type TestServer } from '../tools/http-server.js'
import { connectMcp, ERAS } from './mcp-client.js'

let app: TestApp
let url: string
let tools: TestServer
let upstream: ScriptedUpstream

const symbol = { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'] }

const parameters = { type: 'object', properties: { user: { type: 'string' } } }
const left = version('split.p', 1, { userPrompt: 'one', parameters })
const right = version('split.p', 2, { userPrompt: 'two', parameters })

beforeAll(async () => {
  tools = await startHttpServer((_request, response) => sendJson(response, { found: 2 }))
  upstream = await startScriptedUpstream()
  app = await startTestApp(
    {
      'templates/code/review.json': {
        description: 'Reviews code',
        userPrompt: 'Review {{.variables.code}} {{if .variables.deep}}deeply{{end}} {{.variables.lines}}',
        parameters: {
          type: 'object',
          properties: {
            code: { type: 'string', description: 'What to review' },
            deep: { type: 'boolean' },
            lines: { type: 'array', items: { type: 'integer' } },
            tone: { type: 'string', enum: ['kind', 'keen', 'terse'] },
          },
          required: ['code'],
        },
      },
      'templates/chat/talk.json': {
        messages: [
          { role: 'system', content: 'You are {{.team.name}}' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello' },
        ],
      },
      'templates/split/p@1.json': left.document,
      'templates/split/p@2.json': right.document,
      'releases/split/p/production.json': release(
        [
          [left, 50],
          [right, 50],
        ],
        { sticky: 'variables.user' },
      ),
      'environs/team.json': { name: 'the crew', lead: { name: 'Ada' } },
      'environs/motto.json': '"be brief"',
      'tools/code/lookup.json': {
        description: 'Looks up',
        parameters: symbol,
        url: '/lookup',
        readOnly: true,
      },
      'tools/code/deploy.json': { description: 'Deploys', url: '/deploy', approval: 'ask' },
      'agents/helper.json': { description: 'Helps', instructions: 'Help', model: 'echo' },
      'agents/careful.json': { description: 'Asks first', instructions: 'Ask', tools: ['code.deploy'] },
    },
    { TOOL_BASE_URL: tools.url, LLM_BASE_URL: upstream.url, LLM_MODEL: 'gpt' },
  )
  url = await app.app.server.listen({ port: 0, host: '127.0.0.1' })
})

afterAll(async () => {
  await app.close()
  await tools.close()
  await upstream.close()
})

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no error',
    (error: { readonly code?: unknown }) => error.code,
  )
}

describe.each(ERAS)('MCP over HTTP, a client of %s', (era) => {
  let client: Client

  beforeAll(async () => {
    client = await connectMcp(url, era)
  })
  afterAll(() => client.close())

  it('splits a label by the header, else by the argument that it names, as HTTP does', async () => {
    const served = async (from: Client, user: string) => {
      const { messages, _meta } = await from.getPrompt({ name: 'split.p@production', arguments: { user } })
      return [messages[0]?.content, _meta?.['ai-prompt-shell/version']]
    }
    const users = ['ann', 'ben', 'cem', 'dan', 'eve']
    const expected = users.map((user) => {
      const isFirst = bucketOf('split.p', 'production', user) < 5_000
      return [{ type: 'text', text: isFirst ? 'one' : 'two' }, isFirst ? 1 : 2]
    })
    expect(await Promise.all(users.map((user) => served(client, user)))).toEqual(expected)
    expect(new Set(expected.map(([, number]) => number)).size).toBe(2)
    const [first, second] = [1, 2].map((number) => expected.findIndex(([, each]) => each === number))
    const headers = { 'x-prompt-key': users[second ?? 0] ?? '' }
    const keyed = await connectMcp(url, era, { headers })
    expect(await served(keyed, users[first ?? 0] ?? '')).toEqual(expected[second ?? 0])
    await keyed.close()
  })

  it('lists prompts with their variables as arguments', async () => {
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['chat.talk', 'code.review', ...BUNDLED_IDS])
    expect(prompts[1]).toMatchObject({
      description: 'Reviews code',
      arguments: [
        { name: 'code', description: 'What to review', required: true },
        { name: 'deep', required: false },
        { name: 'lines', required: false },
        { name: 'tone', required: false },
      ],
    })
  })

  it('renders a prompt, with arguments read as the types its schema asks for', async () => {
    const given = { code: '42', deep: 'true', lines: '[1,2]' }
    const { messages, description } = await client.getPrompt({ name: 'code.review', arguments: given })
    expect(description).toBe('Reviews code')
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Review 42 deeply [1 2]' } }])
  })

  it("makes the system's words a marked message of the user", async () => {
    const { messages } = await client.getPrompt({ name: 'chat.talk' })
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: '<system>\nYou are the crew\n</system>' } },
      { role: 'user', content: { type: 'text', text: 'Hi' } },
      { role: 'assistant', content: { type: 'text', text: 'Hello' } },
    ])
  })

  it('refuses unknown prompts, missing and wrong arguments as invalid parameters', async () => {
    expect(await codeOf(client.getPrompt({ name: 'code.revue' }))).toBe(-32602)
    expect(await codeOf(client.getPrompt({ name: 'code.review' }))).toBe(-32602)
    expect(
      await codeOf(client.getPrompt({ name: 'code.review', arguments: { code: 'x', lines: 'y' } })),
    ).toBe(-32602)
    await expect(client.getPrompt({ name: 'code.review' })).rejects.toThrow(/code/)
  })

  it('lists and reads prompts and shared variables as resources', async () => {
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual([
      'prompt://chat.talk',
      'prompt://code.review',
      ...BUNDLED_IDS.map((id) => `prompt://${id}`),
      'environ://motto',
      'environ://team',
    ])
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents
      return { mimeType: content?.mimeType, text: content && 'text' in content ? content.text : '' }
    }
    expect(await read('environ://motto')).toMatchObject({ mimeType: 'text/plain', text: 'be brief' })
    expect(await read('environ://team.lead')).toMatchObject({
      mimeType: 'application/json',
      text: '{"name":"Ada"}',
    })
    expect(JSON.parse((await read('prompt://code.review')).text)).toMatchObject({
      description: 'Reviews code',
    })
    expect(await codeOf(client.readResource({ uri: 'environ://nobody' }))).toBe(-32602)
    expect(await codeOf(client.readResource({ uri: 'file:///etc/passwd' }))).toBe(-32602)
  })

  it('completes arguments from their schema, ids of prompts and names of variables', async () => {
    const values = async (ref: Parameters<Client['complete']>[0]['ref'], name: string, value: string) =>
      (await client.complete({ ref, argument: { name, value } })).completion.values
    const review = { type: 'ref/prompt', name: 'code.review' } as const
    expect(await values(review, 'tone', 'ke')).toEqual(['keen'])
    expect(await values(review, 'deep', '')).toEqual(['true', 'false'])
    expect(await values({ type: 'ref/resource', uri: 'prompt://{id}' }, 'id', 'co')).toEqual(['code.review'])
    expect(await values({ type: 'ref/resource', uri: 'environ://{path}' }, 'path', 't')).toEqual(['team'])
  })

  it('offers prompts, agents and tools of the catalog as tools; not those that need approval', async () => {
    const listed = (await client.listTools()).tools
    expect(listed.map(({ name }) => name)).toEqual([
      'list_prompts',
      'render_prompt',
      'agent_careful',
      'agent_helper',
      'code_lookup',
    ])
    expect(listed[4]).toMatchObject({ inputSchema: symbol, annotations: { readOnlyHint: true } })
    expect(await codeOf(client.callTool({ name: 'code_deploy', arguments: {} }))).toBe(-32602)
  })

  it('finds and renders prompts for clients that know only tools', async () => {
    const found = await client.callTool({ name: 'list_prompts', arguments: { query: 'REVIEWS' } })
    expect(found.structuredContent).toMatchObject({ prompts: [{ id: 'code.review' }] })
    const variables = { code: 'f()', lines: [3] }
    const rendered = await client.callTool({
      name: 'render_prompt',
      arguments: { id: 'code.review', variables },
    })
    expect(rendered.content).toEqual([{ type: 'text', text: 'Review f()  [3]' }])
    const wrong = await client.callTool({ name: 'render_prompt', arguments: { id: 'code.review' } })
    expect(wrong).toMatchObject({ isError: true })
    expect(JSON.stringify(wrong.content)).toContain('missing_variables')
  })

  it("runs agents and the catalog's tools", async () => {
    const asked = await client.callTool({ name: 'agent_helper', arguments: { input: 'Are you there?' } })
    expect(asked.content).toEqual([{ type: 'text', text: 'Are you there?' }])
    const found = await client.callTool({ name: 'code_lookup', arguments: { symbol: 'main' } })
    expect(found.structuredContent).toEqual({ found: 2 })
    const wrong = await client.callTool({ name: 'code_lookup', arguments: {} })
    expect(wrong).toMatchObject({ isError: true })
  })
})

describe('sessions of agents over MCP', () => {
  const ask = async (client: Client, input: string, session: string, name = 'agent_helper') =>
    client.callTool({ name, arguments: { input, session } })
  const textsOf = ({ content }: Awaited<ReturnType<typeof ask>>) =>
    content.map((part) => (part.type === 'text' ? part.text : part.type))

  it.each(ERAS)('begin, and go on, for a client of %s', async (era) => {
    const client = await connectMcp(url, era)
    const [first, named = ''] = textsOf(await ask(client, 'One', 'new'))
    expect(first).toBe('One')
    const session = named.replace('session: ', '')
    expect(textsOf(await ask(client, 'Two', session))).toEqual(['Two', named])
    const read = await fetch(`${url}/api/sessions/${session}/messages`)
    const { items } = JSON.parse(await read.text())
    expect(items.map((item: { message: { content: string } }) => item.message.content)).toEqual([
      'One',
      'One',
      'Two',
      'Two',
    ])
    await client.close()
  })

  it.each([
    ['of nobody', 'agent_helper', () => 'no-such-session', 'session_not_found'],
    ['of another agent', 'agent_careful', (own: string) => own, 'invalid_request'],
  ])('fail for a session %s', async (_what, tool, session, code) => {
    const client = await connectMcp(url, '2026')
    const [, own = ''] = textsOf(await ask(client, 'One', 'new'))
    const answer = await ask(client, 'Two', session(own.replace('session: ', '')), tool)
    expect(answer).toMatchObject({ isError: true })
    expect(textsOf(answer)[0]).toContain(code)
    await client.close()
  })

  it('tell of calls that wait for approval, which is given over HTTP', async () => {
    upstream.script(calling('code_deploy', {}))
    const client = await connectMcp(url, '2026')
    const answer = await ask(client, 'Deploy it', 'new', 'agent_careful')
    expect(answer).toMatchObject({ isError: true })
    const [asked = '', named = ''] = textsOf(answer)
    expect(asked).toMatch(/^The call of code_deploy waits for approval \S+,/)
    const session = named.replace('session: ', '')
    const read = await app.get(`/api/sessions/${session}`)
    expect(read.body.status).toBe('paused')
    await client.close()
  })
})

describe('changes of the catalog over MCP', () => {
  it('are told to clients that listen: the list at once, and only the documents they asked for', async () => {
    let lists = 0
    const client = await connectMcp(url, '2026', {
      onPrompts: () => {
        lists += 1
      },
    })
    const updated: string[] = []
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void updated.push(params.uri),
    )
    const subscription = await client.listen({ resourceSubscriptions: ['environ://motto'] })
    app.catalog.write('environs/motto.json', '"be briefer"')
    app.catalog.write('environs/team.json', { name: 'others' })
    app.catalog.write('templates/new/one.json', { userPrompt: 'New' })
    await eventually(() => [lists, updated]).toEqual([1, ['environ://motto']])
    await subscription.close()
    await client.close()
  })
})
