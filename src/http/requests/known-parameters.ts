import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { ServiceError } from '../../errors.js'
import { nearNames } from '../../util/errors/near-names.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import { clipped } from '../../util/text/clipped.js'
import { wantsLegacyShape } from '../answers/legacy-api.js'

/** Limit of reported unknown parameters. */
const MAX_LISTED = 5
/** Longer names are shortened. */
const LONGEST_NAME = 100

/**
 * Makes a query parameter that a route of ours does not know an error, as an unknown field of a body is. The paths of
 * OpenAI and of the Go original take whatever their clients send. To be called before the routes.
 */
export function addKnownParameters(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/') || route.config?.alias === true) return
    const known = Object.keys(membersOf(route, 'querystring'))
    const fields = Object.keys(membersOf(route, 'body'))
    const check = (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void) => {
      done(unknownParameters(request, known, fields))
    }
    route.preValidation = [check, ...[route.preValidation ?? []].flat()]
  })
}

function unknownParameters(
  request: FastifyRequest,
  known: readonly string[],
  fields: readonly string[],
): ServiceError | undefined {
  const { query } = request
  if (typeof query !== 'object' || query === null) return undefined
  const unknown: string[] = []
  for (const name in query) if (!known.includes(name)) unknown.push(name)
  const [first] = unknown
  if (first === undefined || wantsLegacyShape(request)) return undefined
  const details = unknown.slice(0, MAX_LISTED).map((name) => ({
    path: clipped(name, LONGEST_NAME),
    message: `Unknown query parameter ${JSON.stringify(clipped(name, LONGEST_NAME))}. ${meant(name, known, fields)}`,
  }))
  const others = unknown.length - 1
  const more = others > 0 ? ` (and ${others} more)` : ''
  const param = clipped(first, LONGEST_NAME)
  const omittedCount = unknown.length - details.length
  return new ServiceError('invalid_request', `${details[0]?.message}${more}`, {
    param,
    details,
    omittedCount,
  })
}

/** What is probably meant: a field of the body, or the parameter with nearly this name. */
function meant(name: string, known: readonly string[], fields: readonly string[]): string {
  if (fields.includes(name)) return 'It goes into the body'
  const [near] = nearNames(name, known)
  if (near !== undefined) return `Did you mean ${JSON.stringify(near)}?`
  return known.length === 0 ? 'This route takes none' : `Supported: ${known.join(', ')}`
}

function membersOf({ schema }: RouteOptions, part: 'querystring' | 'body'): JsonObject {
  const shape: unknown = schema?.[part]
  const members = isJsonObject(shape) ? own(shape, 'properties') : undefined
  return isJsonObject(members) ? members : {}
}
