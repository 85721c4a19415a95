import type { Readable } from 'node:stream'
import type { WriteBatch } from '../../util/telemetry/log-output.js'

const NEWLINE = 10

/**
 * Passes whole lines on, and reads no further while they are not out: several processes that write to one pipe would cut
 * each other's lines, and one that nobody reads makes them drop theirs, as they do alone.
 */
export function forwardLines(from: Readable, writeBatch: WriteBatch): void {
  let rest: Buffer = Buffer.alloc(0)
  from.on('data', (bytes: Buffer) => {
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const end = all.lastIndexOf(NEWLINE) + 1
    rest = all.subarray(end)
    if (end === 0) return
    from.pause()
    writeBatch(all.subarray(0, end), () => from.resume())
  })
}
