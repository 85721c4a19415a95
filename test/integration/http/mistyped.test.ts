import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/test-app.js'

let shell: TestApp
beforeAll(async () => {
  shell = await startTestApp(
    {
      'templates/a/greeting.json': {
        userPrompt: '{{template "a.tone" .}} {{.variables.name}}',
        parameters: [{ name: 'name', type: 'string', default: 'World' }],
      },
      'templates/a/tone.json': { userPrompt: 'tone {{.variables.tone | default "calm"}}' },
      'agents/a/helper.json': { instructions: 'hi' },
    },
    { MAX_BODY_BYTES: '2000', MAX_BODY_VALUES: '100' },
  )
})
afterAll(() => shell.close())

const send = async (headers: Record<string, string>, payload: string | Buffer) => {
  const { body, statusCode } = await shell.app.server.inject({
    method: 'POST',
    url: '/api/render',
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  })
  const { error, rendered_prompt } = JSON.parse(body)
  return { status: statusCode, code: error?.code, message: error?.message, rendered_prompt }
}

describe('a mistyped path', () => {
  it.each([
    ['/api/rendr/prompts/a.greeting', '/api/render/prompts/a.greeting'],
    ['/api/agents/a.helper/turn', undefined],
    ['/api/promts/a.greeting', '/api/prompts/a.greeting'],
    ['/v1/chat/completion', '/v1/chat/completions'],
  ])('%s', async (path, near) => {
    const { status, body } = await shell.post(path, {})
    expect([status, body.error.code]).toEqual([404, 'route_not_found'])
    if (near !== undefined) expect(body.error.message).toContain(`Did you mean "${near}"`)
  })
})

describe('a mistyped name', () => {
  it('of a variable is a warning, also where the prompt includes others', async () => {
    const { body } = await shell.post('/api/render/prompts/a.greeting', {
      variables: { nmae: 'x', tone: 'y' },
    })
    expect([body.rendered_prompt, body.warnings]).toMatchObject([
      'tone y World',
      [
        {
          code: 'unknown_variable',
          path: 'variables.nmae',
          message: expect.stringContaining('Did you mean "name"?'),
        },
      ],
    ])
  })

  it('of the text of a turn says what it is called here', async () => {
    await shell.post('/api/sessions', { id: 's', agent: 'a.helper' })
    const { body } = await shell.post('/api/sessions/s/turns', { message: 'hi' })
    expect(body.error.message).toBe('Unknown field "message". Did you mean "input"?')
  })
})

describe('a body', () => {
  const json = '{"prompt":{"userPrompt":"x"}}'

  it('of another encoding is refused', async () => {
    expect(await send({ 'content-encoding': 'gzip' }, json)).toMatchObject({
      status: 415,
      message: 'The content-encoding "gzip" is not supported: send the body without compression',
    })
    expect(await send({ 'content-type': 'application/json; charset=utf-16' }, json)).toMatchObject({
      status: 415,
      message: 'The charset "utf-16" is not supported: send the body in UTF-8',
    })
    expect(await send({}, Buffer.from(json.replace('x', 'é'), 'latin1'))).toMatchObject({
      code: 'invalid_json',
      message: 'The body is not valid UTF-8',
    })
  })

  it('may begin with a byte order mark, and name its charset', async () => {
    const headers = { 'content-type': 'application/json; charset=UTF-8', 'content-encoding': 'identity' }
    expect(await send(headers, `\ufeff${json}`)).toMatchObject({ status: 200, rendered_prompt: 'x' })
  })

  it('over a limit says the limit and its setting', async () => {
    expect(await send({}, `{"prompt":{"userPrompt":"${'x'.repeat(2_000)}"}}`)).toMatchObject({
      code: 'payload_too_large',
      message: 'The body is larger than 2000 bytes (MAX_BODY_BYTES)',
    })
    const many = JSON.stringify({ prompt: { userPrompt: 'x' }, variables: { l: new Array(200).fill(1) } })
    expect(await send({}, many)).toMatchObject({
      code: 'invalid_request',
      message: 'The body has more than 100 values (MAX_BODY_VALUES)',
    })
  })
})

it('lists no prompt of the planner among the models', async () => {
  const { body } = await shell.get('/v1/models')
  const ids = body.data.map(({ id }: { id: string }) => id)
  expect(ids).toContain('prompt:a.greeting')
  expect(ids.filter((id: string) => id.startsWith('prompt:planner.'))).toEqual([])
  expect((await shell.get('/v1/models/prompt:planner.plan')).status).toBe(200)
})
