import { expect } from 'vitest'

/** Long enough for a busy machine; what holds at once costs nothing. */
const TIMEOUT_MS = 30_000

/** An expectation about something that becomes true soon. */
export function eventually(read: () => unknown): ReturnType<typeof expect.poll> {
  return expect.poll(read, { timeout: TIMEOUT_MS, interval: 10 })
}
