import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AttackedService, attack, startAttackedService } from './support/attack.js'
import { LOOP_BOUND_MS } from './support/loop-bound.js'

let service: AttackedService

beforeAll(async () => {
  service = await startAttackedService({
    'templates/demo/hello.json': { userPrompt: 'Hello {{.variables.name}}' },
  })
})

afterAll(async () => {
  expect(await service.stop()).toBe(0)
})

const RENDER = '/api/render/prompts/demo.hello'
const MEGABYTES = 3_800_000
const withName = (name: string) => `{"variables":{"name":${name}}}`
const filled = (rest: string) => `{"variables":{"name":1,"filler":"${'x'.repeat(MEGABYTES)}"${rest}}}`
const list = (item: string, count: number) => `[${`${item},`.repeat(count - 1)}${item}]`
const names = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`

interface Row {
  readonly name: string
  readonly path?: string
  /** Made when its row runs: together they are large. */
  readonly body: () => string
  readonly status: number
  readonly message: RegExp
}

const ROWS: readonly Row[] = [
  {
    name: 'lists 1.9 million deep',
    body: () => '['.repeat(MEGABYTES / 2) + ']'.repeat(MEGABYTES / 2),
    status: 400,
    message: /The body is nested deeper than 200 levels/,
  },
  {
    name: 'variables 20,000 deep',
    body: () => withName(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
    status: 400,
    message: /nested deeper than 200 levels/,
  },
  {
    name: '300,000 names',
    body: () => withName(names(300_000)),
    status: 400,
    message: /more than 100000 values/,
  },
  {
    name: '330,000 objects',
    body: () => list('{"a":1}', 330_000),
    status: 400,
    message: /more than 100000 values/,
  },
  {
    name: 'an integer of 3.8 million digits',
    body: () => withName('7'.repeat(MEGABYTES)),
    status: 400,
    message: /a number of more than 400 digits/,
  },
  {
    name: 'a fraction of 3.8 million digits',
    body: () => withName(`0.${'7'.repeat(MEGABYTES)}`),
    status: 400,
    message: /a number of more than 400 digits/,
  },
  {
    name: 'many integers of 300 digits',
    body: () => withName(list('7'.repeat(300), 12_000)),
    status: 400,
    message: /more than 100000 values/,
  },
  {
    name: 'integers of many digits in JSON that is none',
    body: () => `{"variables":{"name":${'7'.repeat(MEGABYTES)}`,
    status: 400,
    message: /a number of more than 400 digits/,
  },
  {
    name: '3.8 MB of JSON that is none at its end',
    body: () => `${filled('').slice(0, -2)},}}`,
    status: 400,
    message: /not valid JSON: .* at line 1, column 38\d+/,
  },
  {
    name: 'a number that is none',
    body: () => withName('1e400'),
    status: 400,
    message: /a number that is none: 1e400/,
  },
  {
    name: 'a number that is none, written out',
    body: () => withName(`${'9'.repeat(330)}.5`),
    status: 400,
    message: /a number that is none/,
  },
  {
    name: '40,000 unknown fields',
    body: () => names(40_000),
    status: 400,
    message: /must NOT have additional properties .* \(and 39999 more\)/,
  },
  {
    name: 'a message list of 90,000 numbers',
    path: '/api/chat',
    body: () => `{"prompt":{"userPrompt":"x"},"messages":${list('1', 90_000)}}`,
    status: 400,
    message: /steps to check/,
  },
  {
    name: 'a prompt with 90,000 wrong messages',
    path: '/api/render',
    body: () => `{"prompt":{"messages":${list('1', 90_000)}}}`,
    status: 400,
    message: /at most 2000 messages/,
  },
  {
    name: 'parameters 20,000 deep',
    path: '/api/render',
    body: () =>
      `{"prompt":{"userPrompt":"x","parameters":${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}}}`,
    status: 400,
    message: /nested deeper than 200 levels/,
  },
  {
    name: 'arguments of a tool 100,000 deep',
    path: '/api/tools/any.tool/call',
    body: () => `{"arguments":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
    status: 400,
    message: /nested deeper than 200 levels/,
  },
]

describe('bodies that ask for too much are refused, and hold nobody up', () => {
  it.each(ROWS)('$name', async ({ path = RENDER, body, status, message }) => {
    const answer = await attack({ service, path, body: body() })
    expect({ status: answer.status, message: answer.body.error.message }).toEqual({
      status,
      message: expect.stringMatching(message),
    })
    expect(answer.length).toBeLessThan(64_000)
    expect(answer.longestBusyMs).toBeLessThan(LOOP_BOUND_MS)
  })
})

describe('bodies within the bounds are read', () => {
  it.each([
    { name: '3.8 MB', body: () => filled(''), text: 'Hello 1' },
    {
      name: '3.8 MB and an integer of 17 digits',
      body: () => filled(',"id":90071992547409931').replace('"name":1', '"name":90071992547409931'),
      text: 'Hello 90071992547409931',
    },
    {
      name: 'an integer of 400 digits',
      body: () => withName('7'.repeat(400)),
      text: `Hello ${'7'.repeat(400)}`,
    },
    {
      name: 'digits in a text',
      body: () => withName(`"${'7'.repeat(100_000)}"`),
      text: `Hello ${'7'.repeat(100_000)}`,
    },
    { name: 'the largest double', body: () => withName('1e308'), text: 'Hello 1e+308' },
  ])('$name', async ({ body, text }) => {
    const answer = await attack({ service, path: RENDER, body: body() })
    expect([answer.status, answer.body.rendered_prompt]).toEqual([200, text])
    expect(answer.longestBusyMs).toBeLessThan(LOOP_BOUND_MS)
  })
})

describe('details of an answer', () => {
  it('are the first hundred, and how many more there are', async () => {
    const { body } = await attack({ service, path: RENDER, body: names(250) })
    expect(body.error.details).toHaveLength(101)
    expect(body.error.details[100]).toEqual({ message: 'and 150 more' })
  })

  it('do not repeat long names', async () => {
    const answer = await attack({ service, path: RENDER, body: `{"${'n'.repeat(MEGABYTES)}":1}` })
    expect(answer.status).toBe(400)
    expect(answer.length).toBeLessThan(2_000)
  })
})
