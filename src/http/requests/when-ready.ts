import type { FastifyReply, FastifyRequest } from 'fastify'
import { assertReady } from '../../registry/assert-ready.js'
import type { Registry } from '../../registry/registry.js'
import { assertServing } from '../listening/life-cycle.js'

/** A hook of Fastify that lets a request continue, or fails it. */
export type RequestCheck = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
) => void

/** Lets requests wait for no catalog: before the first load they fail with `not_ready`. */
export function whenReady(registry: Registry): RequestCheck {
  return (_request, _reply, done) => {
    assertReady(registry)
    done()
  }
}

/** Lets no further request in once the server has begun to close. */
export const whileServing: RequestCheck = ({ server }, _reply, done) => {
  assertServing(server)
  done()
}
