import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/test-app.js'

let shell: TestApp
beforeAll(async () => {
  shell = await startTestApp({
    'environs/vscode/rules.json': ['be brief'],
    'templates/t/part.json': {
      userPrompt: '{{.variables.tone}} {{.vscode.nope}} {{.project.gone}}',
      parameters: [{ name: 'tone', type: 'string', default: 'calm' }],
    },
    'templates/t/tone.json': {
      userPrompt: 'tone={{.variables.tone}}',
      parameters: [{ name: 'tone', type: 'string', default: 'calm' }],
    },
    'templates/t/main.json': { userPrompt: '{{template "t.part" .}} {{.vscode.nix}}' },
    'templates/t/kind.json': { userPrompt: '{{template "t.tone" .}}' },
    'templates/t/commit.json': {
      userPrompt: '{{.variables.max_length}}',
      parameters: [{ name: 'max_length', type: 'integer', default: 72 }],
    },
  })
})
afterAll(() => shell.close())

const inline = (userPrompt: string, variables: object = {}) =>
  shell.post('/api/render', { prompt: { userPrompt }, variables })

describe('a hint', () => {
  it.each([
    ['{{s}}', 'did you mean .variables.s?'],
    ['{{if .variables.s == "x"}}{{end}}', 'use eq: {{if eq .a .b}}'],
    ["{{eq .variables.s 'x y'}}", 'use double quotes: "x y"'],
    ['{{.variables.l[0]}}', 'use index: {{index .variables.l 0}}'],
    ['{{range .variables.l}}{{.variables.s}}{{end}}', 'use $.variables.s: here the dot is something else'],
  ])('of %s is %s', async (userPrompt, hint) => {
    const { status, body } = await inline(userPrompt, { s: 'x', l: [{ a: 1 }] })
    expect([status, body.error.details.hint]).toEqual([400, hint])
    expect(body.error.message).not.toContain(hint)
  })

  it('stands beside each missing path', async () => {
    const { body } = await inline('{{ .s }}', { s: 'x' })
    expect(body.error.details).toMatchObject([{ path: 's', hint: 'did you mean .variables.s?' }])
  })
})

describe('a prompt that includes another', () => {
  it('is told everything that both lack at once, and where it is read', async () => {
    const { status, body } = await shell.post('/api/render/prompts/t.main', {})
    expect([status, body.error.message]).toEqual([400, 'Missing: vscode.nix, vscode.nope, project.gone'])
    expect(body.error.details).toMatchObject([
      { path: 'vscode.nix', message: 'is read by the template and missing' },
      { path: 'vscode.nope', message: 'is read by t.part and missing', prompt: 't.part' },
      { path: 'project.gone', message: 'is read by t.part and missing', prompt: 't.part' },
    ])
  })

  it('gets the defaults of the other', async () => {
    const { body } = await shell.post('/api/render/prompts/t.kind', {})
    expect(body).toEqual({ status: 'success', kind: 'prompt', rendered_prompt: 'tone=calm' })
  })
})

describe('a warning', () => {
  it('names a variable that nobody knows, with the one that was meant', async () => {
    const { body } = await shell.post('/api/render/prompts/t.commit', { variables: { max_lenght: 3 } })
    expect(body).toMatchObject({
      rendered_prompt: '72',
      warnings: [
        {
          code: 'unknown_variable',
          path: 'variables.max_lenght',
          message: expect.stringContaining('did you mean max_length?'),
        },
      ],
    })
  })

  it('says what printf could not print', async () => {
    const { body } = await inline('{{printf "%d" .variables.n}}', { n: 'x' })
    expect([body.rendered_prompt, body.warnings]).toMatchObject(['%!d(string=x)', [{ code: 'bad_format' }]])
  })

  it('names what belongs to chats', async () => {
    const { body } = await shell.post('/api/render/prompts/t.commit', { model: 'echo', temperature: 0 })
    expect(body.warnings).toMatchObject([
      { code: 'ignored_parameter', path: 'model' },
      { code: 'ignored_parameter', path: 'temperature' },
    ])
  })
})
