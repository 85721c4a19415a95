import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { sendJson, startHttpServer, type TestServer } from '../tools/http-server.js'
import { connectMcp, ERAS } from './mcp-client.js'

const TEXT = 'a "quoted" word, €😀\n'.repeat(20_000)
const DICT = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`name ${index}`, { index }]))

let app: TestApp
let url: string
let tools: TestServer
/** Answers of the slow tool, each given when it is called. */
const waiting: (() => void)[] = []
beforeAll(async () => {
  tools = await startHttpServer((request, response) => {
    const answer = () => sendJson(response, { list: TEXT.split('\n') })
    if (request.url === '/slow') waiting.push(answer)
    else answer()
  })
  app = await startTestApp(
    {
      'environs/text.json': JSON.stringify(TEXT),
      'environs/dict.json': DICT,
      'templates/p/one.json': { userPrompt: '{{.text}}' },
      'templates/p/some.json': {
        messages: [
          { role: 'system', content: 'Be brief' },
          { role: 'user', content: '{{.text}}' },
        ],
      },
      'tools/code/list.json': { url: '/list', readOnly: true },
      'tools/code/slow.json': { url: '/slow', readOnly: true },
    },
    { TOOL_BASE_URL: tools.url },
    { pingMs: 20 },
  )
  url = await app.app.server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await app.close()
  await tools.close()
})

describe.each(ERAS)('large answers to a client of %s', (era) => {
  let client: Client
  beforeAll(async () => {
    client = await connectMcp(url, era)
  })
  afterAll(() => client.close())

  it('are whole: shared variables', async () => {
    const text = async (uri: string) => (await client.readResource({ uri })).contents[0]
    expect(await text('environ://text')).toMatchObject({ mimeType: 'text/plain', text: TEXT })
    expect(await text('environ://dict')).toMatchObject({ text: JSON.stringify(DICT) })
  })

  it('are whole: prompts', async () => {
    const { messages } = await client.getPrompt({ name: 'p.some' })
    const texts = ['<system>\nBe brief\n</system>', TEXT]
    expect(messages).toEqual(texts.map((text) => ({ role: 'user', content: { type: 'text', text } })))
  })

  it('are whole: tools', async () => {
    const rendered = (id: string) => client.callTool({ name: 'render_prompt', arguments: { id } })
    expect((await rendered('p.one')).content).toEqual([{ type: 'text', text: TEXT }])
    const structured = { messages: expect.arrayContaining([{ role: 'user', content: TEXT }]) }
    expect(await rendered('p.some')).toMatchObject({ structuredContent: structured })
    const listed = { list: TEXT.split('\n') }
    expect(await client.callTool({ name: 'code_list', arguments: {} })).toMatchObject({
      content: [{ type: 'text', text: JSON.stringify(listed) }],
      structuredContent: listed,
    })
  })
})

it('a stream that begins before its answer is there has the answer too', async () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'code_slow', arguments: {} } }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(call),
  })
  // What is first is a sign of life.
  await eventually(() => waiting.length).toBe(1)
  waiting[0]?.()
  const [beginning, event] = (await response.text()).split('event: message\ndata: ')
  expect(beginning).toMatch(/^:/)
  expect(JSON.parse(event ?? '').result.structuredContent).toEqual({ list: TEXT.split('\n') })
})
