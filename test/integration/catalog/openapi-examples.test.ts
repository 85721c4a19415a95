import { afterEach, describe, expect, it } from 'vitest'
import type { JsonValue } from '../../../src/util/json/json.js'
import { createKeysFile, type TestKeysFile } from '../../support/keys-file.js'
import { release, version } from '../../support/lives.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { waitUntil } from '../../support/wait-until.js'

const prompt = (examples: JsonValue) => ({ userPrompt: 'Hello {{.variables.name}}', examples })
const DOCUMENTS = {
  'templates/open/hello.json': prompt({ ada: { name: 'Ada' }, broken: 7 }),
  'templates/secret/plan.json': prompt({ launch: { name: 'moon' } }),
  'templates/plain/none.json': { userPrompt: 'Hello' },
}

let service: TestApp | undefined
let file: TestKeysFile | undefined
afterEach(async () => {
  await service?.close()
  file?.dispose()
  file = undefined
})

async function examplesOf(path: string, headers: Readonly<Record<string, string>> = {}) {
  const { body, headers: answered } = (await service?.app.server.inject({
    url: '/openapi.json',
    headers,
  })) ?? {
    body: '{}',
    headers: {},
  }
  const media = JSON.parse(body).paths[path].post.requestBody.content['application/json']
  return { ...media, tag: answered['etag'] }
}

const RENDER = '/api/render/prompts/{id}'

describe('the OpenAPI document of a service', () => {
  it('has examples of prompts as examples of the operations that render them', async () => {
    service = await startTestApp(DOCUMENTS)
    for (const path of [RENDER, '/api/chat/prompts/{id}']) {
      const { example, examples } = await examplesOf(path)
      expect(example).toBeUndefined()
      expect(Object.keys(examples)).toEqual(['general', 'open.hello: ada', 'secret.plan: launch'])
      expect(examples['open.hello: ada']).toEqual({
        summary: 'Of the prompt open.hello',
        value: { variables: { name: 'Ada' } },
      })
    }
    const { example, examples } = await examplesOf('/api/render')
    expect([example, Object.keys(examples ?? {})]).not.toContainEqual(
      expect.arrayContaining(['open.hello: ada']),
    )
  })

  it('follows the catalog, with another tag', async () => {
    service = await startTestApp(DOCUMENTS)
    const before = await examplesOf(RENDER)
    service.catalog.write('templates/open/hello.json', JSON.stringify(prompt({ bob: { name: 'Bob' } })))
    await waitUntil(() => service?.app.registry.current.sequence !== 1)
    const after = await examplesOf(RENDER)
    expect(Object.keys(after.examples)).toContain('open.hello: bob')
    expect(after.tag).not.toBe(before.tag)
  })

  it('shows callers with labels the examples of what these serve', async () => {
    const one = version('open.hello', 1, prompt({ eve: { name: 'Eve' } }))
    file = createKeysFile([{ name: 'b', key: 'key-of-labels-0', scopes: ['read'], labels: ['production'] }])
    const life = {
      'templates/open/hello@1.json': one.document,
      'releases/open/hello/production.json': release(one),
    }
    service = await startTestApp({ ...DOCUMENTS, ...life }, { KEYS_FILE: file.path })
    const { examples } = await examplesOf(RENDER, { authorization: 'Bearer key-of-labels-0' })
    expect(Object.keys(examples)).toEqual(['general', 'open.hello: eve'])
  })

  it('shows callers the examples of prompts that they may read', async () => {
    file = createKeysFile([
      { name: 'one', key: 'key-of-open-prompts', scopes: ['read', 'render'], prompts: ['open.*'] },
      { name: 'two', key: 'key-that-only-renders', scopes: ['render'] },
    ])
    service = await startTestApp(DOCUMENTS, { KEYS_FILE: file.path })
    const seen = async (key?: string) => {
      const { examples, example } = await examplesOf(RENDER, key === undefined ? {} : { 'x-api-key': key })
      return example === undefined ? Object.keys(examples) : []
    }
    expect(await seen('key-of-open-prompts')).toEqual(['general', 'open.hello: ada'])
    expect(await seen('key-that-only-renders')).toEqual([])
    expect(await seen()).toEqual([])
  })
})
