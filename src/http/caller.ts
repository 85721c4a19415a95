import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ClientAddress, clientNetwork } from './client-address.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, where anybody wants to know: null without keys and limits. */
    caller: Caller | null
  }
}

/** Who sent a request: the holder of a key of ours, or somebody at an address. */
export interface Caller {
  readonly kind: 'key' | 'address'
  /** Names the caller among those of its kind: the key's digest, or the network address. Short, never a secret. */
  readonly id: string
  /** Whether a key was sent along, known or not. */
  readonly hasKey: boolean
}

/** Finds out who calls. A key counts only when it is one of `keys`: what anybody may make up names nobody. */
export function addCaller(
  server: FastifyInstance,
  keys: readonly string[],
  clientAddress: ClientAddress,
): void {
  const holders = new Map(keys.map((key) => [digest(key), holderOf(key)]))
  server.addHook('onRequest', (request, _reply, done) => {
    const key = holders.size === 0 ? undefined : presentedKey(request)
    // Looked up by digest: how long that takes says nothing about a key.
    const holder = key === undefined ? undefined : holders.get(digest(key))
    request.caller = holder ?? {
      kind: 'address',
      id: clientNetwork(clientAddress(request.raw)),
      hasKey: key !== undefined,
    }
    done()
  })
}

function holderOf(key: string): Caller {
  return { kind: 'key', id: digest(key), hasKey: true }
}

/** The key a request carries, as a bearer token or in `x-api-key`. */
function presentedKey({ headers }: FastifyRequest): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const header = headers['x-api-key']
  return bearer ?? (typeof header === 'string' ? header : undefined)
}

function digest(key: string): string {
  return hash('sha256', key, 'base64url')
}
