import { parseArgs } from 'node:util'
import { startRedisServer } from '../support/redis-server.js'
import { rollingTurns } from '../support/rolling-turns.js'

/**
 * Replaces two replicas under 50 turns that are read, 50 that are not, and 20 tasks; with `OTHER_BUILD` the second one is
 * of that build. 1 when anything was lost, doubled, silent, or ended although it could go on.
 */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      streams: { type: 'string', default: '50' },
      detached: { type: 'string', default: '50' },
      tasks: { type: 'string', default: '20' },
      replacements: { type: 'string', default: '12' },
      seed: { type: 'string', default: '1' },
    },
  })
  const redis = await startRedisServer()
  try {
    const { wrong, ...counts } = await rollingTurns({
      redisUrl: redis.url,
      seed: Number(values.seed),
      streams: Number(values.streams),
      detached: Number(values.detached),
      tasks: Number(values.tasks),
      replacements: Number(values.replacements),
      otherBuild: process.env['OTHER_BUILD'],
    })
    console.log(JSON.stringify({ seed: values.seed, ...counts, wrong: wrong.length }, undefined, 2))
    for (const each of wrong) console.log(each)
    return wrong.length === 0 ? 0 : 1
  } finally {
    await redis.stop()
  }
}
