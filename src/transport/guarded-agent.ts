import type { Dispatcher } from 'undici'
import { lazyPackage } from '../util/packages/lazy-package.js'
import { createGuardedConnector, type GuardedConnectorOptions } from './guarded-connector.js'
import { refuseEncodings } from './refuse-encodings.js'

const undici = lazyPackage<typeof import('undici')>('undici')

export interface GuardedAgentOptions extends GuardedConnectorOptions {
  /** Sockets to one origin at most. */
  readonly connectionsPerOrigin: number
}

/**
 * A pool of kept-alive connections that looks names up itself and refuses addresses on every new connection: by the
 * looked-up address, by a literal one (which is never looked up), and by the socket's own answer. Answers in an
 * encoding that was not asked for are refused.
 */
export function createGuardedAgent(options: GuardedAgentOptions): Dispatcher {
  const agent = new (undici().Agent)({
    connections: options.connectionsPerOrigin,
    // Deadlines are the caller's; a second clock here would only give other errors for the same fact.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: createGuardedConnector(options),
  })
  return agent.compose(refuseEncodings)
}
