import { afterEach, describe, expect, it } from 'vitest'
import type { CatalogEvent } from '../../../src/registry/registry.js'
import { createBuiltInPrompts, PLANNER_DOCUMENTS } from '../../../src/tasks/planner-prompts.js'
import { BUNDLED_IDS } from '../../support/bundled-ids.js'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { runLocalTurn } from '../../support/run-cli.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { waitUntil } from '../../support/wait-until.js'

const PLAN = '/api/prompts/planner.plan'
const FILE = 'templates/planner/plan.json'
const VARIABLES = {
  task_description: 'Say hello',
  available_tools: 'none',
  metadata: '{}',
  domain_knowledge: '',
  reflection_history: '',
}

let service: TestApp
afterEach(() => service.close())

const start = async (documents: Readonly<Record<string, unknown>> = {}) => {
  service = await startTestApp(documents)
}
const origin = async () => (await service.get(PLAN)).body.origin
const becomes = (expected: string) => waitUntil(async () => (await origin()) === expected, expected)

describe('prompts that come with the package', () => {
  it('are in an empty catalog: listed, shown, counted', async () => {
    await start()
    const { items, total } = (await service.get('/api/prompts')).body
    expect([items.map(({ id }: { id: string }) => id), total]).toEqual([BUNDLED_IDS, 4])
    expect(items[1]).toMatchObject({ origin: 'bundled', description: 'Makes the plan of a task' })
    expect((await service.get(PLAN)).body).toMatchObject({
      ...PLANNER_DOCUMENTS.plan,
      ...{ origin: 'bundled', kind: 'messages', engine: 'handlebars' },
      schema: { required: ['task_description'] },
    })
    const { snapshot, diagnostics } = (await service.get('/api/status')).body
    expect(snapshot.prompts).toBe(4)
    expect(diagnostics.map(({ code }: { readonly code: string }) => code)).toEqual(['empty_catalog'])
  })

  it('are in no list for clients of the Go original: an empty catalog lists nothing', async () => {
    service = await startTestApp({}, { LEGACY_API: 'true' })
    expect((await service.get('/api/prompts')).body).toEqual([])
  })

  it('render what a task asks its planner with', async () => {
    await start()
    const { status, body } = await service.post('/api/render/prompts/planner.plan', { variables: VARIABLES })
    expect([status, body.warnings]).toEqual([200, undefined])
    expect(body.rendered_prompt).toEqual(await createBuiltInPrompts().render('plan', VARIABLES))
    expect((await service.post('/api/render/prompts/planner.plan', {})).body.error).toMatchObject({
      code: 'missing_variables',
      details: [{ path: 'variables.task_description' }],
    })
  })

  it.each([
    { source: 'a document', file: FILE, document: { userPrompt: 'Mine' }, expected: 'direct' },
    {
      source: 'an extension',
      file: 'extensions/planner.json',
      document: { name: 'planner', contributes: { prompts: [{ name: 'plan', userPrompt: 'Mine' }] } },
      expected: 'extension',
    },
  ])('give way to $source, and come back when it goes', async ({ file, document, expected }) => {
    await start()
    const changes: CatalogEvent[] = []
    service.app.registry.subscribe((told) => changes.push(...told))
    service.catalog.write(file, document)
    await becomes(expected)
    expect((await service.post('/api/render/prompts/planner.plan', {})).body.rendered_prompt).toBe('Mine')
    expect((await service.get('/api/status')).body.diagnostics).toEqual([])
    service.catalog.remove(file)
    await becomes('bundled')
    const told = changes.filter(({ id }) => id === 'planner.plan').map(({ change }) => change)
    expect(told).toEqual(['changed', 'changed'])
  })

  it('serve on beside a document that is broken, which is told', async () => {
    await start({ [FILE]: { userPrompt: '{{if' } })
    const { body } = await service.get(PLAN)
    expect([body.origin, body.diagnostics[0].severity]).toEqual(['bundled', 'error'])
  })

  it('are no part of the catalog that is checked', async () => {
    await start()
    const mine = createCatalogDirectory({ 'templates/a.json': { userPrompt: 'A' } })
    const { code, stderr } = await runLocalTurn(['check', mine.path])
    mine.dispose()
    expect([code, stderr]).toEqual([0, '0 extensions, 1 prompt, 0 environs, 0 tools: 0 errors, 0 warnings\n'])
  })
})
