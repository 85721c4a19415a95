import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addLargeAnswers } from '../../../src/http/answers/large-answers.js'
import { stringifyJson } from '../../../src/util/json/json.js'
import { busyClock } from '../../support/busy-clock.js'
import { turnsOfOthers } from '../../support/turns-of-others.js'

const LONG = `"\n${'汉'.repeat(1_500_000)}`
const ANSWERS: Readonly<Record<string, unknown>> = {
  small: { a: 1 },
  medium: { text: 'x'.repeat(10_000) },
  'a long text': { text: LONG, left: undefined, list: [undefined, null] },
  'lone surrogates': { text: '\ud800'.repeat(200_000) },
  'many values': { list: Array.from({ length: 60_000 }, (_, a) => ({ a, b: null })) },
  'large integers': { list: new Array(20_000).fill(12345678901234567890n) },
}

describe('answers that Fastify sends', () => {
  const server = Fastify()

  beforeAll(async () => {
    addLargeAnswers(server)
    server.get<{ Querystring: { name: string } }>('/', async ({ query }) => ANSWERS[query.name])
    await server.ready()
  })
  afterAll(() => server.close())

  it.each(Object.keys(ANSWERS).slice(0, -1))('arrive as JSON of a known length: %s', async (name) => {
    const { headers, payload, rawPayload } = await server.inject({ url: '/', query: { name } })
    expect(payload === JSON.stringify(ANSWERS[name])).toBe(true)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(Number(headers['content-length'])).toBe(rawPayload.length)
  })

  it('keep the digits of large integers', async () => {
    const { payload } = await server.inject({ url: '/', query: { name: 'large integers' } })
    expect(payload === stringifyJson(ANSWERS['large integers'])).toBe(true)
  })

  it('are written between other work where they are large', async () => {
    const turnsOf = (name: string) =>
      turnsOfOthers(() => server.inject({ url: '/', query: { name } }).then(() => {}))
    const few = await turnsOf('small')
    busyClock()
    expect(await turnsOf('a long text')).toBeGreaterThan(few + 2)
  })
})
