import type { FastifyRequest } from 'fastify'

/** Of requests that want the same share of a split label each time, such as a user's id. */
const KEY_HEADER = 'x-prompt-key'

/** What a request says itself that decides about labels that are split; undefined where it says nothing. */
export function splitKeyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const given = headers[KEY_HEADER]
  return typeof given === 'string' && given !== '' ? given : undefined
}
