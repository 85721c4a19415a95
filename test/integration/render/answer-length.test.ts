import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, startTestApp, type TestApp } from '../../support/test-app.js'

const TEXTS = ['plain', 'a "b"\\\n', 'é', '中文', '😀', 'a'.repeat(10_000), `${'a'.repeat(10_000)}é`]
const BEYOND = 'é中😀'

let shell: TestApp
beforeAll(async () => {
  shell = await startTestApp({
    'environs/ascii.json': '"context"',
    'environs/beyond.json': JSON.stringify(BEYOND),
    'templates/t/variable.json': { userPrompt: 'Q: {{.variables.x}}' },
    'templates/t/context.json': { userPrompt: '{{.ascii}}{{.beyond}}' },
    'templates/t/text.json': { userPrompt: `${BEYOND} {{.ascii}}` },
    'templates/t/included.json': { userPrompt: '{{template "t.text" .}}' },
    'templates/t/including.json': { userPrompt: '{{template "t.variable" .}}!' },
    'templates/t/messages.json': {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', name: 'ann', content: '{{.variables.x}}' },
      ],
    },
    'templates/t/named.json': { messages: [{ role: 'user', name: BEYOND, content: '{{.ascii}}' }] },
    'templates/t/parts.json': {
      messages: [{ role: 'user', content: [{ type: 'text', text: `${BEYOND} {{.ascii}}` }] }],
    },
    'templates/t/warned.json': {
      userPrompt: 'Q: {{.variables.q}}',
      parameters: [{ name: 'q', type: 'string', default: '' }],
    },
    'templates/t/tool.json': { userPrompt: '[{{code_fallback}}]' },
    'tools/code/fallback.json': {
      name: 'fallback',
      module: 'code',
      type: 'restful',
      url: '/x',
      description: '',
      default: BEYOND,
      parameters: { type: 'object', properties: {} },
    },
  })
  await shell.app.server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => shell.close())

describe('an answer has as many bytes as it says', () => {
  describe.each(TEXTS.map((x) => ({ x, name: `${x.slice(0, 10)} (${x.length})` })))('with $name', ({ x }) => {
    const variables = { x }

    it('as a variable', async () => {
      expect((await ask('prompts/t.variable', { variables })).rendered_prompt).toBe(`Q: ${x}`)
    })

    it('in an included prompt', async () => {
      expect((await ask('prompts/t.including', { variables })).rendered_prompt).toBe(`Q: ${x}!`)
    })

    it('in a message', async () => {
      const { rendered_prompt } = await ask('prompts/t.messages', { variables })
      expect(rendered_prompt[1]).toEqual({ role: 'user', name: 'ann', content: x })
    })

    it('in a warning', async () => {
      const name = `name ${x.slice(-20)}`
      const body = await ask('prompts/t.warned', { variables: { [name]: 1 } })
      expect([body.rendered_prompt, JSON.stringify(body.warnings)]).toEqual([
        'Q: ',
        expect.stringContaining(JSON.stringify(name).slice(1, -1)),
      ])
    })

    it('in a prompt of the request', async () => {
      const userPrompt = `${x}{{.variables.x}}`
      expect((await ask('', { prompt: { userPrompt }, variables })).rendered_prompt).toBe(x + x)
    })

    it('at the path of the Go original', async () => {
      const body = await post('/api/prompts/t.variable/render', { args: variables })
      expect([body.rendered_prompt, body.prompt]).toEqual([`Q: ${x}`, `Q: ${x}`])
    })

    it('with an explanation', async () => {
      const body = await ask('prompts/t.variable?explain=true', { variables })
      expect([body.rendered_prompt, body.explain.variables[0].path]).toEqual([`Q: ${x}`, 'variables.x'])
    })
  })

  it.each([
    { id: 't.context', rendered: `context${BEYOND}` },
    { id: 't.text', rendered: `${BEYOND} context` },
    { id: 't.included', rendered: `${BEYOND} context` },
    { id: 't.named', rendered: [{ role: 'user', name: BEYOND, content: 'context' }] },
    { id: 't.parts', rendered: [{ role: 'user', content: [{ type: 'text', text: `${BEYOND} context` }] }] },
    { id: 't.tool', rendered: `[${BEYOND}]` },
  ])('of prompt $id, which is not ASCII', async ({ id, rendered }) => {
    // Often enough for what does not change to be rendered once for all.
    for (let i = 0; i < 40; i++) expect((await ask(`prompts/${id}`, {})).rendered_prompt).toEqual(rendered)
  })
})

function ask(path: string, body: object): Promise<Json> {
  return post(path === '' ? '/api/render' : `/api/render/${path}`, body)
}

/** The answer, of whose connection it is the last: each of its bytes is seen. */
async function post(path: string, body: object): Promise<Json> {
  const { port } = shell.app.server.server.address() as AddressInfo
  const json = Buffer.from(JSON.stringify(body))
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n`,
  )
  socket.write(json)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const end = bytes.indexOf('\r\n\r\n')
  const head = bytes.toString('latin1', 0, end)
  expect(head).toMatch(/^HTTP\/1\.1 200 /)
  expect(Number(/content-length: (\d+)/i.exec(head)?.[1])).toBe(bytes.length - end - 4)
  return JSON.parse(bytes.toString('utf8', end + 4))
}
