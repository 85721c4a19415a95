import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { COMPILES_LATE } from './compiles-late.js'
import { freePort } from './free-port.js'
import { type ServiceProcess, waitUntilReady } from './service-process.js'

const root = resolve(import.meta.dirname, '../..')

/** A service that may not be ready yet. */
export interface LaunchedService extends ServiceProcess {
  /** Rejects when it ends before that. */
  readonly ready: Promise<void>
}

/**
 * Starts the built service on a free port, without waiting for it.
 *
 * @param stdout `unread` is a pipe that nobody reads; a number is a file descriptor
 */
export async function launchService(
  environment: Readonly<Record<string, string>>,
  stdout: 'read' | 'unread' | number = 'read',
): Promise<LaunchedService> {
  const port = await freePort()
  const child = spawn(process.execPath, [...COMPILES_LATE, 'dist/main.js'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      LOG_LEVEL: 'warn',
      WARM_UP: 'false',
      ...environment,
    },
    stdio: ['ignore', typeof stdout === 'number' ? stdout : 'pipe', 'pipe'],
  })
  const finished = finish(child, stdout === 'unread')
  const url = `http://127.0.0.1:${port}`
  const ready = waitUntilReady(url, finished)
  ready.catch(() => {})
  return {
    url,
    child,
    ready,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return finished
    },
  }
}

async function finish(child: ChildProcess, isUnread: boolean) {
  const texts = { stdout: '', stderr: '' }
  for (const name of isUnread ? (['stderr'] as const) : (['stdout', 'stderr'] as const)) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  // The end of a pipe that nobody reads is not seen.
  const [code] = (await once(child, isUnread ? 'exit' : 'close')) as [number | null]
  return { code, ...texts }
}
