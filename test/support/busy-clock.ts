import { onTestFinished, vi } from 'vitest'

/** Until the test ends, each look at the clock takes a millisecond: what pauses by the clock pauses after as many steps on any machine. */
export function busyClock(): void {
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1
    return now
  })
  onTestFinished(() => clock.mockRestore())
}
