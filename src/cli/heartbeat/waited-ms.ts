import { readFileSync } from 'node:fs'

const PER_MS = 1_000_000

/**
 * How long the main thread of a process has waited for a processor so far, in milliseconds, as Linux counts it: the second number of
 * its `schedstat`. Elsewhere 0.
 */
export function waitedMs(pid: number | undefined, read: (path: string) => string = text): number {
  try {
    const [, waited] = read(`/proc/${pid}/task/${pid}/schedstat`).split(' ')
    return Number(waited ?? 0) / PER_MS
  } catch {
    return 0
  }
}

function text(path: string): string {
  return readFileSync(path, 'latin1')
}
