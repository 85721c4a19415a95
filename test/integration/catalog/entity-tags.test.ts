import { afterEach, describe, expect, it } from 'vitest'
import { createKeysFile, type TestKeysFile } from '../../support/keys-file.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { waitUntil } from '../../support/wait-until.js'

const DOCUMENTS = {
  'extensions/e.json': { name: 'e', contributes: { prompts: [{ name: 'p', userPrompt: 'x' }] } },
  'templates/a/b.json': { userPrompt: 'first' },
  'environs/one/x.json': '1',
  'tools/m/t.json': { name: 't', module: 'm', type: 'restful', restful: { url: '/t', method: 'GET' } },
  'agents/g/h.yaml': 'name: h\nmodule: g\ndescription: x\ninstructions: hi\n',
}
const URLS = [
  '/api/extensions/e',
  '/api/prompts/a.b',
  '/api/prompts/e.p',
  '/api/environs/one.x',
  '/api/environs/one',
  '/api/tools/m.t',
  '/openapi.json',
]

let service: TestApp | undefined
let file: TestKeysFile | undefined
afterEach(async () => {
  await service?.close()
  file?.dispose()
})

async function ask(app: TestApp, url: string, headers: Readonly<Record<string, string>> = {}) {
  const { statusCode, headers: answered, body } = await app.app.server.inject({ url, headers })
  return { status: statusCode, tag: String(answered['etag']), cache: answered['cache-control'], body }
}

describe('entity tags', () => {
  it('answer 304 to who has them', async () => {
    service = await startTestApp(DOCUMENTS)
    for (const url of URLS) {
      const first = { url, ...(await ask(service, url)) }
      expect(first).toMatchObject({ status: 200, cache: 'private, no-cache' })
      expect(first.tag, url).toMatch(/^"[\w-]{22}"$/)
      for (const asked of [first.tag, `W/${first.tag}`, `"other", ${first.tag}`, '*']) {
        const again = await ask(service, url, { 'if-none-match': asked })
        expect({ url, ...again }).toEqual({ ...first, status: 304, body: '' })
      }
      expect({ url, ...(await ask(service, url, { 'if-none-match': '"other"' })) }).toEqual(first)
    }
  })

  it.each([
    { url: '/api/prompts/a.b', file: 'templates/a/b.json', content: { userPrompt: 'second' } },
    { url: '/api/environs/one', file: 'environs/one/y.json', content: '2' },
  ])('$url has another one after a change', async ({ url, file, content }) => {
    service = await startTestApp(DOCUMENTS)
    const { catalog, app } = service
    const before = await ask(service, url)
    const revision = app.registry.current.revision
    catalog.write(file, content)
    await waitUntil(() => app.registry.current.revision !== revision)
    const after = await ask(service, url, { 'if-none-match': before.tag })
    expect(after.status).toBe(200)
    expect(after.tag).not.toBe(before.tag)
  })

  it('has another one when the document broke, though its last good version serves', async () => {
    service = await startTestApp(DOCUMENTS)
    const { catalog, app } = service
    const before = await ask(service, '/api/prompts/a.b')
    catalog.write('templates/a/b.json', { userPrompt: '{{if' })
    await waitUntil(() => app.registry.current.diagnostics.length > 0)
    const after = await ask(service, '/api/prompts/a.b', { 'if-none-match': before.tag })
    expect(after.status).toBe(200)
    expect(JSON.parse(after.body).revision).toBe(JSON.parse(before.body).revision)
  })

  it('tells nothing to who may not see the document, nor of one that is not there', async () => {
    file = createKeysFile([
      { name: 'near', key: 'key-of-somebody', scopes: ['read'], prompts: ['other.*'] },
      { name: 'all', key: 'key-of-everybody', scopes: ['read'] },
    ])
    service = await startTestApp(DOCUMENTS, { KEYS_FILE: file.path })
    const { tag } = await ask(service, '/api/prompts/a.b', { 'x-api-key': 'key-of-everybody' })
    for (const asked of [tag, '*']) {
      const ask304 = (headers: Readonly<Record<string, string>>, url = '/api/prompts/a.b') =>
        ask(service as TestApp, url, { ...headers, 'if-none-match': asked })
      expect((await ask304({})).status).toBe(401)
      expect((await ask304({ 'x-api-key': 'key-of-somebody' })).status).toBe(404)
      expect((await ask304({ 'x-api-key': 'key-of-everybody' })).status).toBe(304)
      expect((await ask304({ 'x-api-key': 'key-of-everybody' }, '/api/prompts/a.c')).status).toBe(404)
    }
  })
})
