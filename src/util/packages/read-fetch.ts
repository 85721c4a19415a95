import { pause } from '../slices/pause.js'

/**
 * Has Node.js read its own `fetch`, with `Headers` and `Request`, which it does at the first use of one of them: one file
 * that takes 10 ms, and more together with whatever uses it first. Gives way to others before and after.
 */
export async function readFetch(): Promise<void> {
  await pause()
  // A global that is a getter until then. What looks at it for nothing is left out of the bundle.
  if (typeof globalThis.Headers !== 'function') throw new TypeError('this Node.js has no fetch')
  await pause()
}
