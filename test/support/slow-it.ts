import { it } from 'vitest'
import { HAS_TIME } from './has-time.js'

/** A test of `npm run test:slow` alone: `npm test` has its cheaper neighbours. */
export function slowIt(name: string, run: () => unknown, timeout?: number): void {
  if (HAS_TIME) it(name, run, timeout)
}
