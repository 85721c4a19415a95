import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findProgram } from './find-program.js'
import { freePort } from './free-port.js'

/** A server process of a test's own. The caller stops it. */
export interface RedisServer {
  readonly host: '127.0.0.1'
  readonly port: number
  readonly url: string
  readonly directory: string
  /** Freezes the process: connections stay open and nothing answers. */
  pause(): void
  resume(): void
  /** Ends the process at once, as a crash does. */
  kill(): Promise<void>
  /** Ends the process and removes its directory. */
  stop(): Promise<void>
}

export interface RedisServerOptions {
  /** A free port is taken unless given: to start a server again where one was. */
  readonly port?: number
  /** Further arguments, such as `['--requirepass', 'secret']`. */
  readonly args?: readonly string[]
  /** First argument, for a sentinel's configuration file. */
  readonly configFile?: string
  readonly sentinel?: boolean
}

const STARTED = /Ready to accept connections|Running mode=sentinel/
const ATTEMPTS = 3

/** Finds a Redis-compatible server binary on PATH; undefined when it is missing. */
export function findRedisBinary(): string | undefined {
  return findProgram(['redis-server', 'valkey-server'])
}

/** Starts a server on loopback, without persistence, and waits until it answers. */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options)
    } catch (error) {
      // Another process can take the free port between the choice and the start.
      if (attempt === ATTEMPTS || options.port !== undefined) throw error
    }
  }
}

async function startOnce(options: RedisServerOptions): Promise<RedisServer> {
  const binary = findRedisBinary()
  if (binary === undefined) throw new Error('no redis-server or valkey-server on PATH')
  const port = options.port ?? (await freePort())
  const directory = mkdtempSync(join(tmpdir(), 'aps-redis-'))
  const child = spawn(binary, argumentsFor(options, port, directory), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await untilStarted(child)
  } catch (error) {
    rmSync(directory, { recursive: true, force: true })
    throw error
  }
  return controlOf(child, port, directory)
}

function argumentsFor(options: RedisServerOptions, port: number, directory: string): string[] {
  const common = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory]
  const file = options.configFile === undefined ? [] : [options.configFile]
  if (options.sentinel === true) return [...file, '--sentinel', ...common, ...(options.args ?? [])]
  return [...file, ...common, '--save', '', '--appendonly', 'no', ...(options.args ?? [])]
}

function controlOf(child: ChildProcess, port: number, directory: string): RedisServer {
  // A test that fails before it stops its server must not leave it behind.
  const abandon = () => void child.kill('SIGKILL')
  process.once('exit', abandon)
  child.once('exit', () => process.off('exit', abandon))
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return {
    host: '127.0.0.1',
    port,
    url: `redis://127.0.0.1:${port}`,
    directory,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    kill,
    stop: async () => {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function untilStarted(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const lines: string[] = []
    if (child.stdout === null) throw new Error('no output')
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line)
      if (STARTED.test(line)) resolve()
      if (lines.length > 40) lines.shift()
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the server ended (${code}):\n${lines.join('\n')}`)))
  })
}
