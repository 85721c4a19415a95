import { Redis } from 'ioredis'
import { startRedisServer } from '../../support/redis-server.js'
import { type AttackedService, startAttackedService } from './attack.js'
import { untilCatalog, untilEnvirons, untilErrors } from './until-catalog.js'

/** The built service over a Redis that holds very much. */
export interface LoadedByRedis {
  readonly service: AttackedService
  /** Writes this many environs in one go, and waits until the service has them. */
  fill(environs: number): Promise<void>
  /** Writes this many prompts that do not compile, and waits until all are reported. */
  breakMany(prompts: number): Promise<void>
  /** Writes one more of them, and waits until it is reported. */
  breakOne(): Promise<void>
  /** Writes one environ of this text, and waits until the service has it. */
  fillOne(text: string): Promise<void>
  /** Cuts the service's connections, changes one environ meanwhile, and waits until the service has that. */
  cut(): Promise<void>
  /** Deletes all, and waits until the service has none. */
  empty(): Promise<void>
  /** The exit code. */
  stop(): Promise<number | null>
}

const PREFIX = 'shenma:environs:load'
const BROKEN = '{"userPrompt":"{{if}}"}'
const PART = 10_000

/** Starts both. */
export async function startLoadedByRedis(): Promise<LoadedByRedis> {
  const server = await startRedisServer()
  const redis = new Redis(server.url)
  const environment = { CATALOG_DIR: '', REDIS_URL: server.url, LOG_LEVEL: 'fatal' }
  const service = await startAttackedService({}, environment)

  let rounds = 0
  return {
    service,
    async breakMany(prompts) {
      const names = Array.from({ length: prompts }, (_, number) => `n${number}`)
      await redis.mset(...names.flatMap((name) => [`shenma:templates:load:${name}`, BROKEN]))
      await untilErrors(service, prompts)
    },
    async breakOne() {
      rounds += 1
      await redis.set(`shenma:templates:load:one${rounds}`, BROKEN)
      await untilCatalog(service, `/api/prompts/load.one${rounds}`, (_status, body) =>
        body.includes('diagnostics'),
      )
    },
    async fill(environs) {
      for (let start = 0; start < environs; start += PART) {
        const pairs = Array.from({ length: Math.min(PART, environs - start) }, (_, index) => {
          const number = start + index
          return [`${PREFIX}:g${number % 500}:n${number}`, `{"value":${number}}`]
        })
        await redis.mset(...pairs.flat())
      }
      await untilEnvirons(service, environs)
    },
    async fillOne(text) {
      await redis.set(`${PREFIX}:one`, text)
      await untilEnvirons(service, 1)
    },
    async cut() {
      rounds += 1
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      await redis.set(`${PREFIX}:g0:n0`, `{"value":"round ${rounds}"}`)
      await untilCatalog(service, '/api/environs/load.g0.n0', (_status, body) =>
        body.includes(`round ${rounds}`),
      )
    },
    async empty() {
      await redis.flushall()
      await untilEnvirons(service, 0)
      await untilErrors(service, 0)
    },
    async stop() {
      const code = await service.stop()
      redis.disconnect()
      await server.stop()
      return code
    },
  }
}
