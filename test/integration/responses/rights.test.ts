import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.js'
import { createKeysFile, type TestKeysFile } from '../../support/keys-file.js'
import { type Json, startTestApp, type TestApp } from '../../support/test-app.js'

const ANN = { name: 'ann', key: 'key-of-ann-1', scopes: ['chat', 'agents', 'read'] }
const DOCUMENTS = {
  'templates/team/hello.json': { name: 'hello', userPrompt: 'hello' },
  'templates/other/open.json': { name: 'open', userPrompt: 'open' },
  'agents/helper.json': { name: 'helper', instructions: 'help', model: 'echo' },
}

let service: TestApp
let file: TestKeysFile
beforeAll(async () => {
  file = createKeysFile([ANN])
  service = await startTestApp(DOCUMENTS, { KEYS_FILE: file.path, LLM_MODEL: 'echo' })
})
afterAll(async () => {
  await service.close()
  file.dispose()
})

async function ask(method: 'GET' | 'POST', url: string, payload?: object) {
  const headers = { authorization: `Bearer ${ANN.key}` }
  const answer = await service.app.server.inject({ method, url, headers, ...(payload && { payload }) })
  return { status: answer.statusCode, body: JSON.parse(answer.body) as Json }
}

const create = (more: object) => ask('POST', '/v1/responses', { input: 'hi', store: true, ...more })

/** Gives the key other rights, and waits until they count. */
async function become(rights: object, seen: (me: Json) => boolean): Promise<void> {
  file.write([{ ...ANN, ...rights }])
  await eventually(async () => seen((await ask('GET', '/api/me')).body)).toBe(true)
}

it('are checked again at every use', async () => {
  const agent = { model: 'agent:helper' }
  const prompt = { prompt: { id: 'team.hello' } }
  const { id: byAgent } = (await create(agent)).body
  const { id: byPrompt } = (await create(prompt)).body
  const { id: conversation } = (await ask('POST', '/v1/conversations', {})).body
  const follow = (more: object, previous_response_id: string) => create({ ...more, previous_response_id })
  expect((await follow(agent, byAgent)).status).toBe(200)
  expect((await follow(prompt, byPrompt)).status).toBe(200)

  await become({ scopes: ['chat', 'read'], prompts: ['other.*'] }, ({ scopes }) => !scopes.includes('agents'))
  expect((await follow(agent, byAgent)).status).toBe(403)
  expect((await create({ ...agent, conversation })).status).toBe(403)
  expect((await follow(prompt, byPrompt)).status).toBe(404)
  expect((await follow({ model: 'prompt:team.hello' }, byPrompt)).status).toBeGreaterThanOrEqual(400)
  // What was refused has left the conversation free.
  expect((await create({ model: 'echo', conversation })).status).toBe(200)

  await become({ scopes: ['read'] }, ({ scopes }) => !scopes.includes('chat'))
  const paths = [
    `responses/${byAgent}`,
    `responses/${byAgent}?stream=true`,
    `responses/${byAgent}/input_items`,
    `conversations/${conversation}`,
    `conversations/${conversation}/items`,
  ]
  for (const path of paths) expect([path, (await ask('GET', `/v1/${path}`)).status]).toEqual([path, 403])
  expect((await create({ model: 'echo' })).status).toBe(403)
})
