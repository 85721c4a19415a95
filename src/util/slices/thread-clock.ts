import { openSync, readSync } from 'node:fs'

/** Where Linux reports the processor time of a thread, in nanoseconds, as the first of three numbers. */
const TIMES = '/proc/thread-self/schedstat'
const LONGEST_LINE = 64
const PER_MS = 1_000_000

/**
 * A clock of the processor time of the thread that makes it, in milliseconds. Elsewhere than on Linux it is that of the
 * whole process: its other threads hardly work, and are suspended with it.
 */
export function createThreadClock(path = TIMES): () => number {
  const line = Buffer.alloc(LONGEST_LINE)
  const file = opened(path)
  if (file === undefined) return processMs
  return () => {
    const length = readSync(file, line, 0, LONGEST_LINE, 0)
    return Number.parseInt(line.toString('latin1', 0, length), 10) / PER_MS
  }
}

/** Open for as long as the process: to open it again takes ten times as long as to read it. */
function opened(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch {
    return undefined
  }
}

function processMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
