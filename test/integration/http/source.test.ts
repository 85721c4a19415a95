import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import { eventually } from '../../support/eventually.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

const YAML = '# Greets\nuserPrompt: |\n  Hello {{.variables.name}}\n'
const KEYS = 'full-access-key-1'

let saving: TestApp
let plain: TestApp
beforeAll(async () => {
  const documents = {
    'templates/p/greet.yaml': YAML,
    'templates/p/other.json': { userPrompt: 'Other {{.team.rules}} {{docs_find "x"}}' },
    'templates/p/whole.yaml': 'userPrompt: \'{{template "p.other" .}}\'\n',
    'environs/team/rules.json': '"Write short sentences about elephants"',
    'tools/docs/find.json': { url: 'http://127.0.0.1:1/find', description: 'Finds passages' },
    'agents/t/helper.json': { description: 'Helps', instructions: 'Help.', tools: ['docs.find'] },
  }
  saving = await startTestApp(documents, { PAGE_SAVE: 'true' })
  plain = await startTestApp(documents, { API_KEYS: KEYS })
  symlinkSync('other.json', join(saving.catalog.path, 'templates/p/linked.json'))
})
afterAll(async () => {
  await saving.close()
  await plain.close()
})

async function put(id: string, text: string, revision?: string, { app }: TestApp = saving) {
  const response = await app.server.inject({
    method: 'PUT',
    url: `/api/prompts/${id}/source`,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${KEYS}`,
      ...(revision !== undefined && { 'if-match': `"${revision}"` }),
    },
    payload: JSON.stringify({ text }),
  })
  return { status: response.statusCode, body: JSON.parse(response.body) }
}

describe('the document of a prompt', () => {
  it('is shown as its author wrote it, with its file and revision', async () => {
    const { body } = await saving.get('/api/prompts/p.greet/source')
    const { revision } = (await saving.get('/api/prompts/p.greet')).body
    expect(body).toEqual({
      ...{ id: 'p.greet', revision, format: 'yaml', text: YAML },
      ...{ file: 'templates/p/greet.yaml', can_save: true },
    })
    expect((await saving.get('/api/prompts/p.nothing/source')).status).toBe(404)
  })

  it('is written where it still is what was read, and is usable', async () => {
    const { revision } = (await saving.get('/api/prompts/p.greet/source')).body
    const next = YAML.replace('Hello', 'Good day,')
    expect((await put('p.greet', next)).body.error.param).toBe('If-Match')
    expect((await put('p.greet', next, 'of-another-time')).body.error.code).toBe('revision_changed')
    const broken = await put('p.greet', 'userPrompt: "{{if .variables.x}}"', revision)
    expect(broken.body.error.code).toBe('template_syntax')
    const malformed = await put('p.greet', 'userPrompt: [', revision)
    expect(malformed.body.error).toMatchObject({ code: 'invalid_prompt', details: { line: 1 } })
    const file = join(saving.catalog.path, 'templates/p/greet.yaml')
    expect(readFileSync(file, 'utf8')).toBe(YAML)
    const saved = await put('p.greet', next, revision)
    expect(saved.status).toBe(200)
    expect(readFileSync(file, 'utf8')).toBe(next)
    await eventually(async () => (await saving.get('/api/prompts/p.greet')).body.revision).toBe(
      saved.body.revision,
    )
    expect((await put('p.greet', YAML, revision)).status).toBe(412)
  })

  it('is not written through a symbolic link, nor where that is switched off', async () => {
    await eventually(async () => (await saving.get('/api/prompts/p.linked')).status).toBe(200)
    const { revision } = (await saving.get('/api/prompts/p.linked/source')).body
    const linked = await put('p.linked', '{"userPrompt": "x"}', revision)
    expect(linked.status).toBe(403)
    const off = await put('p.greet', YAML, revision, plain)
    expect(off.body.error).toMatchObject({ code: 'forbidden' })
    expect(off.body.error.message).toContain('PAGE_SAVE')
  })

  it.each([
    ['a store that is no directory', { REDIS_URL: 'redis://localhost' }],
    ['the bundled catalog', { CATALOG_DIR: '' }],
    ['an address that others reach', { HOST: '0.0.0.0', ALLOW_ANONYMOUS: 'true' }],
  ])('is never written over %s', (_, environment) => {
    const all = { CATALOG_DIR: '/tmp', PAGE_SAVE: 'true', ...environment }
    expect(() => loadConfig({ environment: all })).toThrow('PAGE_SAVE')
  })
})

describe('what uses a part of the catalog', () => {
  it.each([
    ['/api/environs/team.rules', []],
    ['/api/environs/team', []],
    ['/api/tools/docs.find', ['t.helper']],
  ])('%s: prompts, directly or not, and agents', async (path, agents) => {
    const { body } = await saving.get(`${path}/dependents`)
    expect(body.prompts.filter(({ id }: { id: string }) => id !== 'p.linked')).toEqual([
      { id: 'p.other', direct: true },
      { id: 'p.whole', direct: false },
    ])
    expect(body.agents).toEqual(agents)
  })

  it('is unknown of what there is not', async () => {
    expect((await saving.get('/api/environs/no.such/dependents')).body.error.code).toBe('environ_not_found')
    expect((await saving.get('/api/tools/no.such/dependents')).body.error.code).toBe('tool_not_found')
  })
})

describe('the search in texts', () => {
  it.each([
    ['short elephants', 'environ', 'team.rules', ['short', 'elephants']],
    ['ELEPHANTS', 'environ', 'team.rules', ['elephants']],
    ['elefants', 'environ', 'team.rules', undefined],
    ['passagse', 'tool', 'docs.find', ['passages']],
  ])('finds %s', async (q, kind, id, words) => {
    const { body } = await saving.get(`/api/search?q=${encodeURIComponent(q)}`)
    expect(body.items[0]).toMatchObject({ kind, id, line: 1 })
    expect(body.complete).toBe(true)
    if (words !== undefined) expect(body.words).toEqual(words)
  })

  it('finds nothing else, and no more than is asked for', async () => {
    expect((await saving.get('/api/search?q=zebras')).body.items).toEqual([])
    expect((await saving.get('/api/search?q=short%20zebras')).body.items).toEqual([])
    expect((await saving.get('/api/search?q=the&limit=2')).body.items).toHaveLength(2)
  })
})

describe('a large list', () => {
  it('is compressed for clients that take that, and for no others', async () => {
    const many = await startTestApp(
      Object.fromEntries(
        Array.from({ length: 300 }, (_, index) => [
          `templates/many/p${index}.json`,
          { userPrompt: 'x', description: `Number ${index} of many that are alike` },
        ]),
      ),
    )
    const list = (coding: string) =>
      many.app.server.inject({ url: '/api/prompts', headers: { 'accept-encoding': coding } })
    const [plain, packed, refused] = [await list('identity'), await list('br, gzip'), await list('gzip;q=0')]
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body)
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4)
    for (const each of [plain, refused]) expect(each.headers['content-encoding']).toBeUndefined()
    const before = await list('gzip')
    expect(before.rawPayload.equals(packed.rawPayload)).toBe(true)
    many.catalog.write('templates/many/newcomer.json', { userPrompt: 'new' })
    await eventually(async () => gunzipSync((await list('gzip')).rawPayload).toString()).toContain('newcomer')
    const short = await many.app.server.inject({ url: '/api/tools', headers: { 'accept-encoding': 'gzip' } })
    expect(short.headers['content-encoding']).toBeUndefined()
    await many.close()
  })
})
