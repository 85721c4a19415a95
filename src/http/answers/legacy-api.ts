import type { FastifyInstance, FastifyRequest } from 'fastify'
import { routeOf } from '../requests/route-of.js'
import type { ErrorBody } from './error-body.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** `LEGACY_API`: who does not ask for our shapes gets those of the Go original. */
    legacyApi: boolean
  }
  interface FastifyContextConfig {
    /** True for the paths of the Go original, whose answers have its fields beside ours. */
    alias?: boolean
  }
}

/** Sent as `x-api-shape` by clients that know our shapes: nothing is ever changed for them. */
export const OUR_SHAPE = '1'

/** Knows whether clients of the Go original are to be answered in its own shapes. */
export function addLegacyApi(server: FastifyInstance, enabled: boolean): void {
  server.decorate('legacyApi', enabled)
}

/** True where the bare lists and values of the Go original are wanted. */
export function wantsLegacyShape(request: FastifyRequest): boolean {
  return (
    request.server.legacyApi &&
    request.headers['x-api-shape'] !== OUR_SHAPE &&
    request.url.startsWith('/api/')
  )
}

/** True for a path of the Go original. */
export function isAlias(request: FastifyRequest): boolean {
  return routeOf(request).config?.alias === true
}

/** Every failed request as the Go original says it: its `ResponseData`. */
export interface LegacyErrorBody extends ErrorBody {
  /** The HTTP status, as a text. */
  readonly code: string
  readonly message: string
  readonly success: false
}

/** An error in both shapes at once. */
export function withLegacyError(body: ErrorBody, status: number): LegacyErrorBody {
  return { code: String(status), message: body.error.message, success: false, ...body }
}
