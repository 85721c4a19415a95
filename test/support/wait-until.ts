import { setTimeout as sleep } from 'node:timers/promises'

/** Between two looks: what comes soon is seen at once, and what takes longer is not kept busy by being looked at. */
const SHORTEST_MS = 2
const LONGEST_MS = 50
const GROWTH = 1.5

/** Waits until the condition holds; fails with the message after the time. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  message = 'the condition',
  timeoutMs = 30_000,
): Promise<void> {
  const end = performance.now() + timeoutMs
  for (let pause = SHORTEST_MS; !(await condition()); pause = Math.min(pause * GROWTH, LONGEST_MS)) {
    if (performance.now() > end) throw new Error(`waited ${timeoutMs} ms for ${message}`)
    await sleep(pause)
  }
}
