import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({
    'agents/t/main.json': { description: 'Helps', tools: ['m.*'] },
    'agents/t/broken.json': { protocol: 'mcp' },
  })
})
afterAll(() => app.close())

describe('GET /api/agents', () => {
  it('lists and shows agents with every default', async () => {
    const { body } = await app.get('/api/agents')
    expect(body).toMatchObject({
      total: 1,
      broken: 1,
      items: [{ id: 't.main', description: 'Helps', role: 'main' }],
    })
    const detail = (await app.get('/api/agents/t.main')).body
    expect(detail).toMatchObject({
      id: 't.main',
      tools: ['m.*'],
      protocol: 'native',
      role: 'main',
      answer: 'text',
    })
    expect(detail.revision).toBe(body.items[0].revision)
  })

  it('tells what is wrong with one, and near names of one that is not there', async () => {
    const broken = (await app.get('/api/agents/t.broken')).body
    expect(broken).toMatchObject({ revision: null, diagnostics: [{ code: 'invalid_agent' }] })
    const { status, body } = await app.get('/api/agents/t.man')
    expect([status, body.error.code, body.error.details.near]).toEqual([404, 'agent_not_found', ['t.main']])
    const asked = await app.post('/v1/chat/completions', { model: 'agent:t.broken', messages: [] })
    expect([asked.status, asked.body.error.code]).toEqual([400, 'invalid_agent'])
  })

  it('follows the catalog, and keeps the last good version of one that breaks', async () => {
    const revision = async () => (await app.get('/api/agents/t.main')).body
    app.catalog.write('agents/t/main.json', { description: 'Helps more' })
    await eventually(async () => expect((await revision()).description).toBe('Helps more'))
    app.catalog.write('agents/t/main.json', { description: 'Breaks', role: 'boss' })
    await eventually(async () => {
      const { description, diagnostics } = await revision()
      expect([description, diagnostics?.[0]?.servingLastGood]).toEqual(['Helps more', true])
    })
  })
})
