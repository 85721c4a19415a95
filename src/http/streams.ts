import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** What is still being streamed. Add a function that ends a stream early; take it out when it ended. */
    openStreams: Set<() => void>
    /** True from the moment the server starts to close. */
    draining: boolean
  }
}

/** Ends open streams when the server closes: `close()` alone would wait for them. */
export function addStreams(server: FastifyInstance): void {
  const streams = new Set<() => void>()
  server.decorate('openStreams', streams)
  server.decorate('draining', false)
  server.addHook('preClose', (done) => {
    server.draining = true
    for (const end of streams) end()
    done()
  })
}
