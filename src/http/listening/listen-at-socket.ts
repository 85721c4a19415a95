import { once } from 'node:events'
import { chmod, lstat, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'

const SCHEME = 'unix:'
/** For its user and group: a proxy beside the service is in the group. */
const MODE = 0o660

/** The path of a `HOST` such as `unix:/run/shell.sock`; undefined for an address. */
export function socketPath(host: string): string | undefined {
  return host.startsWith(SCHEME) ? host.slice(SCHEME.length) : undefined
}

/**
 * Listens on a Unix socket instead of a port. A socket that a crash left behind is replaced; the file goes with the
 * server.
 *
 * @throws Error with the code `EADDRINUSE` when another process listens there, or when the file is not a socket
 */
export async function listenAtSocket(
  server: FastifyInstance,
  path: string,
  listenTextResolver?: (url: string) => string,
): Promise<void> {
  if (await isAbandoned(path)) await unlink(path)
  const text = listenTextResolver && { listenTextResolver: () => listenTextResolver(`${SCHEME}${path}`) }
  await server.listen({ path, ...text })
  await chmod(path, MODE)
}

/** Whether the file is a socket that no process listens on. Other files are not removed. */
async function isAbandoned(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isSocket() !== true) return false
  const probe = connect(path)
  try {
    await once(probe, 'connect')
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
  } finally {
    probe.destroy()
  }
}
