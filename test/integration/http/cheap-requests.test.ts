import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createServer } from '../../../src/http/server.js'
import { silentLogger } from '../../../src/util/telemetry/logger.js'
import { createMetrics } from '../../../src/util/telemetry/metrics.js'
import type { Json } from '../../support/test-app.js'

const FLAGGED = {
  querystring: { type: 'object', properties: { flag: { type: 'string', default: 'no' } } },
}
const NEEDED = { querystring: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } }

const errors: unknown[] = []
const logger = Object.assign(silentLogger(), {
  error: (_facts: object, message: string) => void errors.push(message),
})

/** A route for each thing that is looked at. */
const routes: FastifyPluginAsync = async (server) => {
  server.get('/listeners', (_request, reply) => {
    const { raw } = reply
    void reply.send({ finish: raw.listenerCount('finish'), error: raw.listenerCount('error') })
  })
  server.get('/late', async (_request, reply) => {
    reply.hijack()
    reply.raw.end('answered')
    throw new Error('too late')
  })
  server.get<{ Querystring: { flag: string } }>('/flagged', { schema: FLAGGED }, (request, reply) => {
    const { flag } = request.query
    const isChanged = Reflect.set(request.query, 'flag', 'changed')
    void reply.send({ flag, isChanged })
  })
  server.get('/needed', { schema: NEEDED }, (_request, reply) => void reply.send({}))
}

let server: FastifyInstance
let url: string
beforeAll(async () => {
  server = await createServer({
    version: '0',
    maxBodyBytes: 1_000,
    maxBodyValues: 1_000,
    clientAddress: () => '127.0.0.1',
    origins: { allowedHosts: [], checksHost: false },
    rateLimit: undefined,
    drainMs: 0,
    legacyApi: false,
    logger,
    metrics: createMetrics(),
    routes: [routes],
  })
  url = await server.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => server.close())

async function get(path: string): Promise<Json> {
  return (await fetch(`${url}${path}`)).json()
}

describe('a request', () => {
  it('is not listened to by Fastify, which has nothing to log of it; a response that fails is heard', async () => {
    // Node's own is the one that finishes.
    expect(await get('/listeners')).toEqual({ finish: 1, error: 1 })
  })

  it('whose handler fails after its answer is logged', async () => {
    expect(await (await fetch(`${url}/late`)).text()).toBe('answered')
    await expect.poll(() => errors).toEqual(['Promise errored, but reply.sent = true was set'])
  })

  it('without a query has the defaults, and no other request can change them', async () => {
    expect(await get('/flagged')).toEqual({ flag: 'no', isChanged: false })
    expect(await get('/flagged')).toEqual({ flag: 'no', isChanged: false })
    expect(await get('/flagged?flag=yes')).toMatchObject({ flag: 'yes' })
  })

  it('without a query that is needed is refused each time, under its own id', async () => {
    const first = await get('/needed')
    const second = await get('/needed')
    expect([first.error.code, second.error.code]).toEqual(['invalid_request', 'invalid_request'])
    expect(first.request_id).not.toBe(second.request_id)
  })
})
