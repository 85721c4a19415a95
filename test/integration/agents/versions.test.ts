import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bucketOf } from '../../../src/versions/split.js'
import { release, version } from '../../support/lives.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

const carried = { 'p.rules': { userPrompt: 'old rules' } }
const main = { instructions: 'one. {{template "p.rules" .}}', prompt: 'p.rules', model: 'echo' }
const one = version('t.main', 1, main, carried, 'agents')

const [left, right] = [1, 2].map((number) => version('t.split', number, main, carried, 'agents'))

let app: TestApp

beforeAll(async () => {
  app = await startTestApp({
    'agents/t/main.json': { ...main, instructions: 'draft. {{template "p.rules" .}}' },
    'agents/t/main@1.json': one.document,
    'agents/t/pinned.json': { instructions: 'x', prompt: 'p.rules@1', model: 'echo' },
    'agent-releases/t/main/production.json': release(one),
    'agents/t/split@1.json': left?.document,
    'agents/t/split@2.json': right?.document,
    'agent-releases/t/split/production.json': release(
      [left, right].flatMap((each) => (each === undefined ? [] : [[each, 50] as const])),
      { sticky: 'variables.user' },
    ),
    'templates/p/rules.json': { userPrompt: 'new rules' },
    'templates/p/rules@1.json': version('p.rules', 1, { userPrompt: 'first rules' }).document,
  })
})

afterAll(() => app.close())

const prepare = (id: string) =>
  app.app.agents.prepare(id, {
    variables: {},
    call: { requestId: 'test', signal: new AbortController().signal },
  })

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: { readonly code?: unknown }) => error.code,
  )
}

describe('versions of agents', () => {
  it('are chosen as those of prompts are, and carry the prompts that they use', async () => {
    expect((await prepare('t.main')).system).toContain('draft. new rules')
    for (const id of ['t.main@1', 't.main@production']) {
      const { system, served } = await prepare(id)
      expect(system).toContain('one. old rules')
      expect(system).not.toContain('new rules')
      expect(served).toEqual({ number: 1, digest: one.digest })
    }
    expect((await prepare('t.pinned')).system).toContain('first rules')
    expect(await failureOf(prepare('t.main@2'))).toBe('version_not_found')
    expect(await failureOf(prepare('t.main@qa'))).toBe('label_not_found')
    expect(await failureOf(prepare('t.none@1'))).toBe('agent_not_found')
    expect((await app.get('/api/agents')).body.items.map(({ id }: { id: string }) => id)).toEqual([
      't.main',
      't.pinned',
    ])
    const { status, body } = await app.post('/v1/chat/completions', {
      model: 'agent:t.main@production',
      messages: [{ role: 'user', content: 'Hello' }],
    })
    expect([status, body.choices[0].message.content]).toEqual([200, 'Hello'])
  })

  it('are split by the session, or by a variable', async () => {
    const versions = (count: number, from: (index: number) => object) =>
      Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const { body } = await app.post('/api/sessions', { agent: 't.split@production', ...from(index) })
          return body.agent
        }),
      )
    const bySession = await versions(24, (index) => ({ id: `s-${index}` }))
    const expected = Array.from({ length: 24 }, (_, index) =>
      bucketOf('t.split', 'production', `s-${index}`) < 5_000 ? 't.split@1' : 't.split@2',
    )
    expect(bySession).toEqual(expected)
    expect(new Set(bySession).size).toBe(2)
    const byUser = await versions(12, () => ({ variables: { user: 'ann' } }))
    expect(new Set(byUser).size).toBe(1)
    expect(byUser[0]).toBe(bucketOf('t.split', 'production', 'ann') < 5_000 ? 't.split@1' : 't.split@2')
  })

  it('stay those that a session began with, until they are gone', async () => {
    const { body: session } = await app.post('/api/sessions', { agent: 't.main@production' })
    expect(session.agent).toBe('t.main@1')
    const turn = () => app.post(`/api/sessions/${session.id}/turns`, { input: 'Hello' })
    expect((await turn()).status).toBe(200)
    app.catalog.remove('agents/t/main@1.json')
    await expect.poll(() => app.app.registry.current.agentVersions.has('t.main@1')).toBe(false)
    const { status, body } = await turn()
    expect([status, body.error.code]).toEqual([410, 'version_gone'])
  })
})
