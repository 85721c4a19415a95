import type { FastifyRequest } from 'fastify'
import { NOBODY } from '../../state/record-name.js'

/** Whose sessions and tasks a request may see and make: the key's digest; without keys they are everybody's. */
export function ownerOf({ caller }: FastifyRequest): string {
  return caller?.kind === 'key' ? caller.id : NOBODY
}
