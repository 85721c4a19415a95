// Requests at a fixed rate, whatever becomes of those before: the times count from when a request was due.
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

const TICK_MS = 1

/**
 * @param origin where the service is
 * @param rate requests a second
 * @param seconds how long
 * @param connections so many at most
 * @param next makes a request: method, path, headers, body
 * @returns times of the answers with status 200 in ms, sorted, and how many others there were
 */
export async function openLoop({ origin, rate, seconds, connections, next, signal }) {
  const pool = new Pool(origin, { connections, pipelining: 1 })
  const times = []
  const running = new Set()
  let failed = 0
  const ask = async (dueAt) => {
    try {
      const { statusCode, body } = await pool.request(next())
      await body.dump()
      if (statusCode !== 200) failed += 1
      else times.push(performance.now() - dueAt)
    } catch {
      failed += 1
    }
  }
  const startedAt = performance.now()
  const total = rate * seconds
  for (let sent = 0; sent < total && signal?.aborted !== true; ) {
    const due = Math.min(total, ((performance.now() - startedAt) / 1_000) * rate)
    for (; sent < due; sent += 1) {
      const asked = ask(startedAt + (sent / rate) * 1_000)
      running.add(asked)
      void asked.finally(() => running.delete(asked))
    }
    await sleep(TICK_MS)
  }
  await Promise.all(running)
  await pool.close()
  return { times: times.sort((a, b) => a - b), failed }
}
