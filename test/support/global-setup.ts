import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { findRedisBinary, startRedisServer } from './redis-server.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real Redis shared by the run: isolate by key prefix, or start an own server. */
    redisUrl: string
  }
}

interface SharedRedis {
  readonly url: string
  stop(): Promise<unknown>
}

const HELP = `The tests need a real Redis and found none. Do one of these and run them again:
  - set TEST_REDIS_URL=redis://host:port to a server that tests may write to
  - put redis-server or valkey-server on PATH (Debian, Ubuntu: apt-get install redis-server)
  - start Docker, so that a container can be used`

/** Starts what every test run shares; returns the function that ends it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const redis = await findRedis()
  project.provide('redisUrl', redis.url)
  return async () => {
    await redis.stop()
  }
}

async function findRedis(): Promise<SharedRedis> {
  const url = process.env['TEST_REDIS_URL']
  if (url !== undefined && url !== '') return { url, stop: async () => undefined }
  if (findRedisBinary() !== undefined) return startRedisServer()
  const redis = (await fromDocker()) ?? (await fromPackage())
  if (redis === undefined) throw new Error(HELP)
  return redis
}

async function fromDocker(): Promise<SharedRedis | undefined> {
  if (!succeeds('docker', ['info'])) return undefined
  const { GenericContainer } = await import('testcontainers')
  const container = await new GenericContainer('redis:7-alpine').withExposedPorts(6379).start()
  const url = `redis://${container.getHost()}:${container.getMappedPort(6379)}`
  return { url, stop: () => container.stop() }
}

async function fromPackage(): Promise<SharedRedis | undefined> {
  if (!existsSync('/etc/debian_version')) return undefined
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  if (sudo.length > 0 && !succeeds('sudo', ['-n', 'true'])) return undefined
  console.log('No Redis found: installing the distribution package redis-server for the tests')
  const install = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', 'install', '-y', 'redis-server']
  if (!runs([...sudo, ...install]) && !(runs([...sudo, 'apt-get', 'update']) && runs([...sudo, ...install])))
    return undefined
  return startRedisServer()
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
