import type { FastifyInstance } from 'fastify'
import type { KeyScope } from '../../schema/keys-file.js'

/** Every route of a plugin needs these scopes of a key, unless it says otherwise. To be called before its routes. */
export function needsScopes(server: FastifyInstance, ...scopes: readonly KeyScope[]): void {
  server.addHook('onRoute', (route) => {
    route.config = { scopes, ...route.config }
  })
}
