import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeTexts } from '../../../src/http/answers/write-answer.js'
import { busyClock } from '../../support/busy-clock.js'

/** 6 MB in UTF-8. */
const LONG = `${'a'.repeat(65_535)}🙂${'汉'.repeat(2_000_000)}`

describe('the text of an answer', () => {
  const server = Fastify()
  let url = ''
  /** Turns of the event loop from the first piece of an answer to its head. */
  let turns = 0

  beforeAll(async () => {
    server.decorate('leaving', false)
    server.post<{ Body: { texts: string[] } }>('/', async (request, reply) => {
      turns = 0
      const texts = request.body.texts.map((text) => (text === 'long' ? LONG : text))
      const count = () => {
        turns += 1
        if (!reply.raw.headersSent) setImmediate(count)
      }
      setImmediate(count)
      await writeTexts(request, reply, ['content-type', 'text/plain; charset=utf-8'], texts)
    })
    url = await server.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => server.close())

  async function answerOf(texts: readonly string[]) {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ texts }) })
    return { length: response.headers.get('content-length'), text: await response.text() }
  }

  it.each([
    { what: 'ASCII', texts: ['{"a":', '1', '}'] },
    { what: 'other scripts', texts: ['é', '汉', '🙂', ''] },
    { what: 'a long one', texts: ['<', 'long', 'é', '>'] },
  ])('arrives as it is, with its length: $what', async ({ texts }) => {
    const { length, text } = await answerOf(texts)
    const whole = texts.map((each) => (each === 'long' ? LONG : each)).join('')
    expect(text === whole).toBe(true)
    expect(Number(length)).toBe(Buffer.byteLength(whole))
  })

  it('is encoded between other work where it is long', async () => {
    busyClock()
    await answerOf(['long'])
    expect(turns).toBeGreaterThan(2)
  })
})
