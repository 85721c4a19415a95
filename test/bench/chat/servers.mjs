import { spawn, spawnSync } from 'node:child_process'
import { openSync } from 'node:fs'
import { connect } from 'node:net'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../free-port.mjs'

/** To a server of this machine. */
const CONNECT_MS = 5_000
const root = resolve(fileURLToPath(import.meta.url), '../../../..')

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/** Whether processes can be given cores. */
export const canPin = cpus().length > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0

/** Gives a process, with all its threads, a list of cores such as `0` or `0,1`. */
export function pin(pid, cores) {
  if (canPin) spawnSync('taskset', ['-acp', cores, String(pid)])
}

/** Starts a server and waits until it listens. One that writes a log gets a file for it: a pipe would cost the reader's time. */
export async function startServer(
  name,
  parameters,
  { LOG_FILE, ...environment } = {},
  knownPort = undefined,
) {
  const port = knownPort ?? (await freePort())
  const child = spawn(process.execPath, parameters, {
    cwd: root,
    env: { ...process.env, PORT: String(port), NODE_ENV: 'production', ...environment },
    stdio: ['ignore', LOG_FILE === undefined ? 'ignore' : openSync(LOG_FILE, 'w'), 'inherit'],
  })
  const ended = new Promise((_, failed) =>
    child.on('exit', (code, signal) => failed(new Error(`${name} ended with ${code ?? signal}`))),
  )
  // A benchmark that is ended itself leaves nobody behind.
  process.once('exit', () => child.kill('SIGKILL'))
  ended.catch(() => {})
  await Promise.race([waitFor(port), ended])
  return { name, child, port }
}

async function waitFor(port) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const isOpen = await new Promise((done) => {
      const socket = connect(port, '127.0.0.1', () => done(true))
      socket.setTimeout(CONNECT_MS, () => done(false))
      socket.on('error', () => done(false)).unref()
    })
    if (isOpen) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`nobody listens on ${port}`)
}
