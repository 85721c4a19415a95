// How soon a change in Redis is served while others render.
import { setTimeout as sleep } from 'node:timers/promises'
import { CONNECTIONS, documentOf, keyOf, nextRender, renderOnce, zipf } from './catalog.mjs'
import { openLoop } from './open-loop.mjs'

/** Renders of others, a second. */
const BACKGROUND_RATE = 1_000
const REST_MS = 5

/** A write in Redis → the first answer that has it, while others render: the times of this many changes in ms. */
export async function timesOfChanges(service, { redis, prompts, changes }) {
  const over = new AbortController()
  const next = () => nextRender(prompts)
  const endless = { connections: CONNECTIONS, rate: BACKGROUND_RATE, seconds: 600, next }
  const background = openLoop({ ...endless, origin: service.url, signal: over.signal })
  const times = []
  // Another process may have changed the same prompts before.
  const first = Date.now()
  for (let version = first; version < first + changes; version += 1) {
    const index = zipf(prompts)
    const startedAt = performance.now()
    redis.set(keyOf(index), documentOf(index, version))
    while (!(await renderOnce(service, index)).includes(`version ${version}.`));
    times.push(performance.now() - startedAt)
    await sleep(REST_MS)
  }
  over.abort()
  await background
  return times
}
