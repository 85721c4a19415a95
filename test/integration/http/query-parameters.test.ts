import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/test-app.js'

const DOCUMENTS = { 'templates/t/hello.json': { userPrompt: 'hello' } }

let shell: TestApp
let legacy: TestApp
beforeAll(async () => {
  shell = await startTestApp(DOCUMENTS)
  legacy = await startTestApp(DOCUMENTS, { LEGACY_API: 'true' })
})
afterAll(async () => {
  await shell.close()
  await legacy.close()
})

describe('a query parameter that a route does not know', () => {
  it.each([
    ['/api/prompts?stauts=broken', 'Unknown query parameter "stauts". Did you mean "status"?'],
    [
      '/api/prompts?sort=id',
      'Unknown query parameter "sort". Supported: supports, q, id, status, limit, cursor, fields',
    ],
    ['/api/prompts/t.hello?verbose=1', 'Unknown query parameter "verbose". This route takes none'],
    ['/api/status?a=1&b=2', 'Unknown query parameter "a". This route takes none (and 1 more)'],
    ['/api/sessions?state=open', 'Unknown query parameter "state". Supported: limit, cursor'],
  ])('is an error of GET %s', async (url, message) => {
    const { status, body } = await shell.get(url)
    expect([status, body.error?.code, body.error?.message]).toEqual([400, 'invalid_request', message])
  })

  it.each([
    ['/api/chat/prompts/t.hello?stream=true', 'Unknown query parameter "stream". It goes into the body'],
    [
      '/api/render/prompts/t.hello?scenario=chat',
      'Unknown query parameter "scenario". It goes into the body',
    ],
    [
      '/api/render/prompts/t.hello?explian=true',
      'Unknown query parameter "explian". Did you mean "explain"?',
    ],
  ])('is an error of POST %s', async (url, message) => {
    const { status, body } = await shell.post(url, {})
    expect([status, body.error?.code, body.error?.message]).toEqual([400, 'invalid_request', message])
  })

  it('is told with five others at most, and clipped', async () => {
    const many = Array.from({ length: 900 }, (_, index) => `p${index}=`).join('&')
    const { status, body } = await shell.get(`/api/status?${'x'.repeat(500)}=1&${many}`)
    expect([status, body.error?.param]).toEqual([400, `${'x'.repeat(100)}…`])
    expect(body.error.details).toHaveLength(6)
    expect(body.error.details[5]).toEqual({ message: 'and 896 more' })
  })

  it.each([['/v1/models?api-version=2024-10-21'], ['/healthz?probe=1'], ['/api/prompts?q=hello&limit=3']])(
    'is nothing to GET %s',
    async (url) => {
      expect((await shell.get(url)).status).toBe(200)
    },
  )

  it('is nothing to clients of the Go original', async () => {
    expect((await shell.post('/api/prompts/t.hello/render?trace=1', {})).status).toBe(200)
    expect((await legacy.get('/api/prompts?page=1')).status).toBe(200)
  })
})
