import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { findBrowser } from './browser.js'
import { findRedisBinary, startRedisServer } from './redis-server.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real Redis shared by the run: isolate by key prefix, or start an own server. */
    redisUrl: string
  }
}

/** What other programs keep there: Node's cache of compiled code, sockets of the browser. */
const OF_OTHERS = /^(node-compile-cache|playwright|\.?org\.chromium|vitest|ssr$|v8-)/

interface SharedRedis {
  readonly url: string
  stop(): Promise<unknown>
}

const HELP = `The tests need a real Redis, and they start, freeze and end servers of their own. Do one of these and run
them again:
  - put redis-server or valkey-server on PATH (Debian, Ubuntu: apt-get install redis-server)
  - on Debian and Ubuntu, set TEST_INSTALL_REDIS=1, and the tests install that package
TEST_REDIS_URL=redis://host:port names a server for the tests that can share one; the others still need the program.`

/** Starts what every test run shares; returns the function that ends it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (findRedisBinary() === undefined) installPackage('redis-server', 'TEST_INSTALL_REDIS')
  if (findRedisBinary() === undefined) throw helpless()
  const temporary = ownTemporaryDirectory()
  const redis = await findRedis()
  // The tests of the page say so themselves when there is none.
  if (findBrowser() === undefined) installPackage('chromium', 'TEST_INSTALL_CHROMIUM')
  project.provide('redisUrl', redis.url)
  return async () => {
    await redis.stop()
    temporary.close()
  }
}

/**
 * What the tests put into the directory for temporary files, they take away again.
 *
 * @returns `close` throws when they did not, and takes it away itself
 */
function ownTemporaryDirectory(): { close(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'aps-'))
  process.env['TMPDIR'] = directory
  return {
    close() {
      const left = readdirSync(directory).filter((name) => !OF_OTHERS.test(name))
      rmSync(directory, { recursive: true, force: true })
      if (left.length > 0) throw new Error(`tests left files behind: ${left.join(', ')}`)
    },
  }
}

async function findRedis(): Promise<SharedRedis> {
  const url = process.env['TEST_REDIS_URL']
  return url === undefined || url === '' ? startRedisServer() : { url, stop: async () => undefined }
}

/** Without a stack: vitest fails at mapping one that comes from here, and tells that instead. */
function helpless(): Error {
  const error = new Error(HELP)
  error.stack = `Error: ${HELP}`
  return error
}

/** Only where somebody asked for it: tests do not change a machine unasked. */
function installPackage(name: string, permission: string): void {
  if (process.env[permission] !== '1' || !existsSync('/etc/debian_version')) return
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  console.log(`Installing the distribution package ${name} for the tests`)
  const install = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', 'install', '-y', name]
  if (!runs([...sudo, ...install])) runs([...sudo, 'apt-get', 'update']) && runs([...sudo, ...install])
}

function runs([command, ...args]: readonly string[]): boolean {
  return command !== undefined && succeeds(command, args)
}

function succeeds(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore', timeout: 300_000 })
    return true
  } catch {
    return false
  }
}
