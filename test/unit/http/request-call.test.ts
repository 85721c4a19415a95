import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { addRequestContext, callOf } from '../../../src/http/requests/request-context.js'
import { silentLogger } from '../../../src/util/telemetry/logger.js'
import { createMetrics } from '../../../src/util/telemetry/metrics.js'

it('is made once for a request, as plain data with a signal, which a client who is gone has aborted', async () => {
  const server = Fastify()
  addRequestContext(server, { logger: silentLogger(), metrics: createMetrics() })
  const seen: unknown[] = []
  server.get('/', (request, reply) => {
    request.clientGone = true
    const call = callOf(request)
    seen.push(call.requestId === request.id, call.signal.aborted, { ...call }.signal === request.cancellation)
    seen.push(callOf(request) === call)
    void reply.send('')
  })
  await server.inject('/')
  await server.close()
  expect(seen).toEqual([true, true, true, true])
})
