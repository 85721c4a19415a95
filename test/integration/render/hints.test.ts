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
    'templates/t/diff.json': {
      userPrompt: '{{.variables.diff}}{{.variables.tone}}',
      parameters: [
        { name: 'diff', type: 'string' },
        { name: 'tone', type: 'string', default: 'calm' },
      ],
    },
    'templates/t/task.json': {
      userPrompt: '{{template "t.tone" .}} {{.variables.task}}',
      parameters: [{ name: 'task', type: 'string' }],
    },
    'templates/t/kind.json': { userPrompt: '{{template "t.tone" .}}' },
    'templates/t/tones.json': { userPrompt: '{{template "t.ton" .}}' },
    'templates/t/talk.json': { messages: [{ role: 'user', content: 'x' }] },
    'templates/t/open.json': { userPrompt: '{{if .variables.x}a{{end}}' },
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

  it.each([
    ['{{ .s }}', '.variables.s'],
    ['{{.variables.userPromt}}', '.variables.userPrompt'],
    ['{{.variabels.s}}', '.variables.s'],
    ['{{.vscode.rulez}}', '.vscode.rules'],
    ['{{.vscod.rules}}', '.vscode.rules'],
    ['{{.variables.repo.brnch}}', '.variables.repo.branch'],
  ])('stands beside the missing path of %s', async (userPrompt, meant) => {
    const { body } = await inline(userPrompt, { s: 'x', userPrompt: 'y', repo: { branch: 'z' } })
    expect(body.error.details).toMatchObject([{ hint: `did you mean ${meant}?` }])
  })

  it('stands beside a required variable of which another name was sent', async () => {
    const { body } = await shell.post('/api/render/prompts/t.diff', { variables: { dif: 'x', tone: 'y' } })
    expect(body.error).toMatchObject({
      code: 'missing_variables',
      details: [{ path: 'variables.diff', hint: 'the request has "dif": is diff meant?' }],
    })
  })

  it('stands there also where the prompt includes another', async () => {
    const { body } = await shell.post('/api/render/prompts/t.task', { variables: { tsk: 'x' } })
    expect(body.error?.details).toMatchObject([{ hint: 'the request has "tsk": is task meant?' }])
  })

  it.each([
    [{ promt: { userPrompt: 'x' } }, 'Did you mean "prompt"?'],
    [{ prompt: { userPrompt: 'x' }, variabels: {} }, 'Did you mean "variables"?'],
    [{ prompt: { userPrompt: 'x' }, language: 'go' }, 'Variables of the prompt go into "variables"'],
  ])('ends the message about the field of %j', async (body, hint) => {
    const { body: answer } = await shell.post('/api/render', body)
    expect([answer.error.code, answer.error.message]).toEqual([
      'invalid_request',
      expect.stringContaining(hint),
    ])
  })

  it.each([
    ['/api/chat', { prompt: { userPrompt: '{{with .variables.name}}{{.}}{{end}}' }, name: 'x' }, 'name'],
    ['/api/chat/prompts/t.tone', { tone: 'x', temperature: 1 }, 'tone'],
    ['/api/chat/prompts/t.diff', { variables: { tone: 'x' }, diff: 'x' }, 'diff'],
  ])('of %s says where a variable goes: %j', async (path, body, name) => {
    const answer = await shell.post(path, { model: 'echo', ...body })
    expect([answer.status, answer.body.error]).toMatchObject([
      400,
      { message: `\`${name}\` is a variable of the prompt: it goes into "variables"`, param: name },
    ])
  })

  it.each([
    ['/api/chat', { prompt: { userPrompt: '{{with .variables.seed}}{{.}}{{end}}' }, seed: 1, top_x: 2 }],
    ['/api/chat/prompts/t.tone', { variables: { tone: 'x' }, tone: 'y' }],
    ['/api/prompts/t.tone/chat', { tone: 'x' }],
  ])('of %s takes what is for the model: %j', async (path, body) => {
    expect((await shell.post(path, { model: 'echo', ...body })).status).toBe(200)
  })

  it('names the body that a mistyped field of a prompt is', async () => {
    const { body } = await shell.post('/api/render', { prompt: { userPromt: 'x' } })
    expect(body.error).toMatchObject({
      code: 'invalid_prompt',
      details: { hint: 'rename "userPromt" to "userPrompt"' },
    })
  })
})

describe('a document with a mistake', () => {
  it('is answered with what its author should write', async () => {
    const { status, body } = await shell.post('/api/render/prompts/t.open', {})
    expect([status, body.error?.code, body.error?.details]).toMatchObject([
      400,
      'template_syntax',
      { location: 'templates/t/open.json', hint: 'end the action with }}: one brace is missing' },
    ])
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

  it.each([
    ['a registered one', () => shell.post('/api/render/prompts/t.tones', {})],
    ['one of a request', () => inline('{{template "t.ton" .}}')],
    [
      'a Handlebars one',
      () => shell.post('/api/render', { prompt: { engine: 'handlebars', userPrompt: '{{> t.ton}}' } }),
    ],
  ])('is told the near names of a prompt that is not there: %s', async (_which, render) => {
    const { status, body } = await render()
    expect([status, body.error?.details?.hint, body.error?.details?.near?.[0]]).toEqual([
      500,
      'did you mean t.tone?',
      't.tone',
    ])
  })

  it('is told that a prompt of messages cannot be included', async () => {
    const { body } = await inline('{{template "t.talk" .}}')
    expect(body.error?.details?.hint).toBe(
      't.talk has messages: only a prompt with a userPrompt can be included',
    )
  })

  it('fails the same way again, which clients are told', async () => {
    const { headers } = await shell.app.server.inject({
      method: 'POST',
      url: '/api/render/prompts/t.tones',
      headers: { 'content-type': 'application/json' },
      payload: '{}',
    })
    expect(headers['x-should-retry']).toBe('false')
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
          message: expect.stringContaining('Did you mean "max_length"?'),
        },
      ],
    })
  })

  it('says what printf could not print', async () => {
    const { body } = await inline('{{printf "%d" .variables.n}}', { n: 'x' })
    expect([body.rendered_prompt, body.warnings]).toMatchObject(['%!d(string=x)', [{ code: 'bad_format' }]])
  })

  it('says what had no value', async () => {
    const { body } = await inline('a\n{{index .variables.m "zz"}}{{.variables.n}}', { m: {}, n: null })
    expect([body.rendered_prompt, body.warnings]).toMatchObject([
      'a\n<no value><no value>',
      [
        {
          code: 'no_value',
          message:
            '{{index .variables.m "zz"}} printed <no value>: test it with {{with}}, or give it a default (line 2, column 3)',
        },
        { code: 'no_value', message: expect.stringContaining('(line 2, column 30)') },
      ],
    ])
  })

  it('names what belongs to chats', async () => {
    const { body } = await shell.post('/api/render/prompts/t.commit', { model: 'echo', temperature: 0 })
    expect(body.warnings).toMatchObject([
      { code: 'ignored_parameter', path: 'model' },
      { code: 'ignored_parameter', path: 'temperature' },
    ])
  })
})
