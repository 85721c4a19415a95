import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ORIGINAL_DOCUMENTS } from '../../support/original-documents.js'
import { runLocalTurn as cli } from '../../support/run-cli.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { waitUntil } from '../../support/wait-until.js'

const MISSING =
  'the extension needs "scan-gitrepo": the catalog has neither an extension nor a module of tools with this name'
const RENDERED = [
  { role: 'system', content: 'You are a code review assistant who can evaluate the quality of the project.' },
  {
    role: 'user',
    content:
      'Evaluate the project code from the following dimensions and give a quality assessment report.\nEvaluation dimensions:\nsmall files\nCode context:\nshell',
  },
]
const RENDER = '/api/render/prompts/evaluator.evaluate_quality'

let shell: TestApp

beforeAll(async () => {
  shell = await startTestApp({
    ...ORIGINAL_DOCUMENTS,
    'environs/vscode/rules.json': '"small files"',
    'environs/codebase/current_project.json': '"shell"',
  })
})
afterAll(() => shell.close())

describe('the documents of the format itself', () => {
  it('are listed and shown', async () => {
    const extensions = (await shell.get('/api/extensions')).body
    expect(extensions.items.map(({ id }: { readonly id: string }) => id)).toEqual(['zgsm-ai.evaluator'])
    expect(extensions.broken).toBe(0)
    const { status, body } = await shell.get('/api/extensions/zgsm-ai.evaluator')
    expect([status, body.displayName, body.diagnostics.length]).toEqual([200, '项目质量评估器', 1])
    expect((await shell.get('/api/tools/translator.translate_zh_en')).body).toMatchObject({
      function: 'translator_translate_zh_en',
      url: '/translate/zh/en',
    })
    const { frameworks } = (await shell.get('/api/environs/vscode')).body.value
    expect(frameworks).toEqual(['gin', 'gorm', 'gin-swagger'])
  })

  it('serve; what the extension requires and the catalog lacks is an error in the status and a warning in answers', async () => {
    const { status, body } = await shell.post(RENDER, {})
    expect([status, body.rendered_prompt]).toEqual([200, RENDERED])
    expect(body.warnings).toEqual([{ code: 'missing_dependence', message: MISSING }])
    const { diagnostics, diagnostics_total: total } = (await shell.get('/api/status')).body
    expect(total).toEqual({ errors: 1, warnings: 2 })
    expect(diagnostics[0]).toMatchObject({
      ...{ kind: 'extensions', id: 'zgsm-ai.evaluator', severity: 'error', code: 'missing_dependence' },
      ...{ message: MISSING, line: 45 },
    })
    const codes = diagnostics.slice(1).map(({ code }: { readonly code: string }) => code)
    expect(codes).toEqual(['unused_parameter', 'missing_dependence'])
  })

  it('are found by check, which names them', async () => {
    const { code, stdout } = await cli(['check', shell.catalog.path])
    expect(code).toBe(1)
    expect(stdout).toContain(`evaluator.json:45:7 ${MISSING}; add it, or write failStrategy: ignore`)
  })

  it('have what they require in an extension of any type, and keep serving when that goes', async () => {
    const provider = { name: 'scan-gitrepo', version: '1.4.0', extensionType: 'scanner' }
    shell.catalog.write('extensions/other/scan.json', JSON.stringify(provider))
    const warnings = async () => (await shell.post(RENDER, {})).body.warnings
    await waitUntil(async () => (await warnings()) === undefined, 'the requirement to be met')
    shell.catalog.write('extensions/other/scan.json', JSON.stringify({ ...provider, version: '2.0.0' }))
    await waitUntil(async () => (await warnings()) !== undefined, 'the other version')
    const { status, body } = await shell.post(RENDER, {})
    expect([status, body.rendered_prompt]).toEqual([200, RENDERED])
    expect(body.warnings[0].message).toBe(
      'the extension needs "scan-gitrepo" ^1.0.0: the catalog has it in 2.0.0',
    )
  })
})
