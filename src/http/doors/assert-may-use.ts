import type { FastifyRequest } from 'fastify'
import { mayUse } from '../../access/may-read.js'
import { ServiceError } from '../../errors.js'
import { accessOf } from './caller.js'

/**
 * Holds that a request's key may use a prompt. One that it may not use is as unknown as one that is not there, and
 * nothing is looked up.
 *
 * @throws ServiceError `prompt_not_found`
 */
export function assertMayUse(request: FastifyRequest, id: string): void {
  if (mayUse(accessOf(request), id)) return
  throw new ServiceError('prompt_not_found', `No prompt has the id ${JSON.stringify(id)}`, { param: 'id' })
}
