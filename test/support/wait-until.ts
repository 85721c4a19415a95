import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until the condition holds; fails with the message after the time. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  message = 'the condition',
  timeoutMs = 30_000,
): Promise<void> {
  const end = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited ${timeoutMs} ms for ${message}`)
    await sleep(2)
  }
}
