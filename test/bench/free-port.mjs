import { createServer } from 'node:net'

/** A port of this machine that nobody listens at. */
export function freePort() {
  return new Promise((found) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => found(port))
    })
  })
}
