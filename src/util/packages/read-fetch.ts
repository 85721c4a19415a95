import { createRequire } from 'node:module'
import { pause } from '../slices/pause.js'

const require = createRequire(import.meta.url)

/** Half of what it takes is modules of Node.js that it needs. */
const NEEDED = ['https', 'http2', 'stream/web', 'zlib', 'perf_hooks', 'worker_threads', 'util/types'] as const

/**
 * Has Node.js read its own `fetch`, with `Headers` and `Request`, which it does at the first use of one of them: one file
 * that takes 10 ms, and more together with whatever uses it first. Gives way to others before and after.
 */
export async function readFetch(): Promise<void> {
  for (const name of NEEDED) {
    await pause()
    require(`node:${name}`)
  }
  await pause()
  // A global that is a getter until then. What looks at it for nothing is left out of the bundle.
  if (typeof globalThis.Headers !== 'function') throw new TypeError('this Node.js has no fetch')
  await pause()
}
