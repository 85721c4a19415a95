import { Redis } from 'ioredis'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import type { RedisRow } from '../tables/redis-values.js'
import { type AttackedService, type AttackResult, attack, startAttackedService, withGaps } from './attack.js'

/** The built service over a Redis whose values others write. */
export interface AttackedByRedis {
  readonly service: AttackedService
  /** Makes the document a good one. */
  mend(): Promise<unknown>
  /** Writes a value over a good document, and waits until the catalog says something of it. */
  write(row: RedisRow): Promise<AttackedDocument>
  /** The exit code. */
  stop(): Promise<number | null>
}

/** What became of the document. */
export interface AttackedDocument {
  readonly diagnosis: string
  /** What the last good one renders. */
  readonly rendered: unknown
  readonly longestBusyMs: number
}

const KEY = 'shenma:templates:demo:hello'
const GOOD = JSON.stringify({ userPrompt: 'Hello' })
const PATIENCE_MS = 3_000

/** Starts both. */
export async function startAttackedByRedis(): Promise<AttackedByRedis> {
  const server: RedisServer = await startRedisServer()
  const redis = new Redis(server.url)
  await redis.set(KEY, GOOD)
  const service = await startAttackedService(
    {},
    { CATALOG_DIR: '', REDIS_URL: server.url, LOG_LEVEL: 'fatal' },
  )

  async function until(holds: (diagnosis: string) => boolean): Promise<string> {
    const end = Date.now() + PATIENCE_MS
    for (;;) {
      const { body } = await attack({ service, method: 'GET', path: '/api/status' })
      const diagnosis = JSON.stringify(body.diagnostics ?? body)
      if (holds(diagnosis)) return diagnosis
      if (Date.now() > end) throw new Error(`nothing is said of the document: ${diagnosis.slice(0, 300)}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const isAbout = (diagnosis: string) => diagnosis.includes('demo')
  return {
    service,
    async mend() {
      await redis.set(KEY, GOOD)
      await until((diagnosis) => !isAbout(diagnosis))
    },
    async write(row) {
      const [command, ...rest] = row.write()
      const { diagnosis, longestBusyMs } = await withGaps(service, async () => {
        if (command !== 'set') await redis.del(KEY)
        await redis.call(command, KEY, ...rest)
        return { diagnosis: await until(isAbout) }
      })
      const { body }: AttackResult = await attack({
        service,
        path: '/api/render/prompts/demo.hello',
        body: {},
      })
      return { diagnosis, rendered: body.rendered_prompt, longestBusyMs }
    },
    async stop() {
      const code = await service.stop()
      redis.disconnect()
      await server.stop()
      return code
    },
  }
}

/** What is wrong; undefined for nothing. */
export function mistakeOfDocument(
  row: RedisRow,
  { diagnosis, rendered }: AttackedDocument,
): string | undefined {
  if (!row.says.test(diagnosis)) return diagnosis.slice(0, 500)
  // A key that was deleted on the way may have taken its document with it.
  return row.write()[0] !== 'set' || rendered === 'Hello' ? undefined : `renders ${String(rendered)}`
}
