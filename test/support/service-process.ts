import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { COMPILES_LATE } from './compiles-late.js'
import { freePort } from './free-port.js'

const root = resolve(import.meta.dirname, '../..')
const MAIN = 'dist/main.js'

/** What a finished process left behind. */
export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The built service in a process of its own. */
export interface ServiceProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Ends it with a signal and tells how it ended. */
  stop(signal?: NodeJS.Signals): Promise<Finished>
}

/** Runs `node dist/main.js` with these arguments and exactly this environment, to its end. */
export async function runMain(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Finished> {
  const child = start(args, environment)
  child.stdin?.end(input)
  return finish(child)
}

/**
 * A test that keeps the machine busy is not answered `overloaded`, and a process that ends with its test reads nothing
 * ahead, unless it asks for that.
 */
const USUAL = { LOG_LEVEL: 'warn', MAX_LOOP_DELAY_MS: '0', WARM_UP: 'false' }

/**
 * Starts the service on a free port and waits until it is ready.
 *
 * @param preload a module that is loaded into the process before the service; it can exchange messages with us
 * @param first a program, and its arguments, that starts the service in its turn
 * @param build the directory of another build of the service
 * @param main another program that serves, in that directory
 */
export async function startService(
  environment: Readonly<Record<string, string>> = {},
  preload?: string,
  first: readonly string[] = [],
  build = root,
  main = MAIN,
): Promise<ServiceProcess> {
  const port = await freePort()
  const child = start([], { PORT: String(port), ...USUAL, ...environment }, preload, first, build, main)
  const finished = finish(child)
  const url = `http://127.0.0.1:${port}`
  await waitUntilReady(url, finished)
  return {
    url,
    child,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return finished
    },
  }
}

function start(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  preload?: string,
  first: readonly string[] = [],
  build = root,
  main = MAIN,
): ChildProcess {
  // What a probe measures is a service as it comes.
  const options = preload === undefined ? COMPILES_LATE : ['--import', preload]
  const [program = '', ...words] = [...first, process.execPath, ...options, main, ...args]
  return spawn(program, words, {
    cwd: build,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: preload === undefined ? 'pipe' : ['pipe', 'pipe', 'pipe', 'ipc'],
  })
}

async function finish(child: ChildProcess): Promise<Finished> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

/** Waits until `/readyz` answers. Rejects when the process ends before that. */
export async function waitUntilReady(url: string, finished: Promise<Finished>): Promise<void> {
  const early = finished.then(({ stdout, stderr }) => {
    throw new Error(`the service ended before it was ready:\n${stdout}${stderr}`)
  })
  early.catch(() => {})
  for (;;) {
    const ready = await Promise.race([isReady(url), early])
    if (ready) return
    await Promise.race([new Promise((wake) => setTimeout(wake, 50)), early])
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`)
    await response.text()
    return response.ok
  } catch {
    return false
  }
}
