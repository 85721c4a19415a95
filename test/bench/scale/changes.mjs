// How soon a change in Redis is served while others render.
import { setTimeout as sleep } from 'node:timers/promises'
import { CONNECTIONS, documentOf, keyOf, nextRender, renderOnce, zipf } from './catalog.mjs'
import { openLoop } from './open-loop.mjs'

/** Renders of others, a second. */
const BACKGROUND_RATE = 1_000
const REST_MS = 5
/** From one question for the changed prompt to the next. */
const ASK_MS = 1

/**
 * A write in Redis → the first answer that has it, while others render: the times of this many changes in ms.
 *
 * Questions come at a fixed rate and do not wait for one another, and the write comes at any moment between two. One question
 * after the other would tell less of the service that answers sooner: it has answered the first before the change is there, and
 * is only asked again after that.
 */
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
    waitBusily(ASK_MS * Math.random())
    const startedAt = performance.now()
    redis.set(keyOf(index), documentOf(index, version))
    times.push((await firstAnswerAt(service, index, `version ${version}.`)) - startedAt)
    await sleep(REST_MS)
  }
  over.abort()
  await background
  return times
}

/** When the first answer came that has this text. */
function firstAnswerAt(service, index, text) {
  return new Promise((resolve, reject) => {
    const asking = setInterval(() => {
      renderOnce(service, index).then((answer) => {
        if (!answer.includes(text)) return
        clearInterval(asking)
        resolve(performance.now())
      }, reject)
    }, ASK_MS)
  })
}

/** Timers have whole milliseconds. */
function waitBusily(ms) {
  const endsAt = performance.now() + ms
  while (performance.now() < endsAt);
}
