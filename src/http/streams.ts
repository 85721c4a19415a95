import type { FastifyInstance } from 'fastify'
import { OpenStreams } from './open-streams.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** What is still being streamed. */
    openStreams: OpenStreams
    /** True from the moment the server starts to close. */
    draining: boolean
  }
}

const CLOSE_IDLE_EVERY_MS = 50

/** Ends open streams when the server closes: `close()` alone would wait for them. */
export function addStreams(server: FastifyInstance): void {
  const streams = new OpenStreams()
  server.decorate('openStreams', streams)
  server.decorate('draining', false)
  server.addHook('preClose', (done) => {
    server.draining = true
    streams.endAll()
    closeConnectionsAsTheyFallIdle(server)
    done()
  })
}

/**
 * Node closes the connections that are idle when the server closes; one whose last answer comes later would be kept
 * alive, and `close()` waiting, until its keep-alive time is over.
 */
function closeConnectionsAsTheyFallIdle({ server }: FastifyInstance): void {
  if (!server.listening) return
  const timer = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS)
  server.once('close', () => clearInterval(timer))
}
