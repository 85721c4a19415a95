import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { addRequestContext, callOf } from '../../../src/http/request-context.js'
import { silentLogger } from '../../../src/util/logger.js'
import { createMetrics } from '../../../src/util/metrics.js'

it('has no signal until somebody asks for it, and then one, that a client who is gone has aborted', async () => {
  const server = Fastify()
  addRequestContext(server, { logger: silentLogger(), metrics: createMetrics() })
  const seen: unknown[] = []
  server.get('/', (request, reply) => {
    const call = callOf(request)
    seen.push(call.requestId === request.id, request.cancellation)
    request.clientGone = true
    seen.push(call.signal.aborted, call.signal === request.cancellation, callOf(request) === call)
    void reply.send('')
  })
  await server.inject('/')
  await server.close()
  expect(seen).toEqual([true, undefined, true, true, true])
})
