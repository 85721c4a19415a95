import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Access, FULL_ACCESS, NO_ACCESS } from '../../access/access.js'
import type { KeyRing } from '../../access/key-ring.js'
import { routeOf } from '../requests/route-of.js'
import { type ClientAddress, clientNetwork } from './client-address.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Where clients of another service put the key, on the paths that are for them. */
    foreignKey?: (headers: IncomingHttpHeaders) => string | undefined
  }
  interface FastifyRequest {
    /** Who calls, where anybody wants to know: null without keys and limits. */
    caller: Caller | null
  }
}

/** Who sent a request: the holder of a key of ours, or somebody at an address. */
export interface Caller {
  readonly kind: 'key' | 'address'
  /** Names the caller among those of its kind: the key's digest or name, or the network address. Short, never a secret. */
  readonly id: string
  /** The result of checking the key of the request; `none`: it had no key. */
  readonly key: 'known' | 'unknown' | 'expired' | 'none'
  /** What the caller may do. */
  readonly access: Access
}

/** What finding out who calls needs. */
export interface CallerOptions {
  /** Undefined where no keys are asked for: then everybody may do everything. */
  readonly keys: KeyRing | undefined
  readonly clientAddress: ClientAddress
}

/** Finds out who calls. A key counts only when it is one of ours: what anybody may make up names nobody. */
export function addCaller(server: FastifyInstance, { keys, clientAddress }: CallerOptions): void {
  const strangers = keys === undefined ? FULL_ACCESS : NO_ACCESS
  server.addHook('onRequest', (request, _reply, done) => {
    const sent = keys === undefined ? undefined : presentedKey(request)
    const holder = sent === undefined ? undefined : keys?.find(sent)
    const isExpired = holder !== undefined && keys?.isExpired(holder.access) === true
    request.caller =
      holder !== undefined && !isExpired
        ? { kind: 'key', id: holder.id, key: 'known', access: holder.access }
        : {
            kind: 'address',
            id: clientNetwork(clientAddress(request.raw)),
            key: sent === undefined ? 'none' : isExpired ? 'expired' : 'unknown',
            access: strangers,
          }
    done()
  })
}

/** What the sender of a request may do. */
export function accessOf({ caller }: FastifyRequest): Access {
  return caller?.access ?? FULL_ACCESS
}

/** The key a request carries, as a bearer token or in `x-api-key`. */
function presentedKey(request: FastifyRequest): string | undefined {
  const { headers } = request
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const header = headers['x-api-key']
  const usual = bearer ?? (typeof header === 'string' ? header : undefined)
  return usual ?? routeOf(request).config.foreignKey?.(headers)
}
