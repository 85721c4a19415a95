import type { Readable } from 'node:stream'
import type { WriteBatch } from '../../util/log-output.js'

const NEWLINE = 10

/**
 * Passes whole lines on, and reads no further while they are not out: several processes that write to one pipe would cut
 * each other's lines, and one that nobody reads makes them drop theirs, as they do alone.
 */
export function forwardLines(from: Readable, writeBatch: WriteBatch): void {
  let rest: Buffer = Buffer.alloc(0)
  from.on('data', (bytes: Buffer) => {
    const end = bytes.lastIndexOf(NEWLINE) + 1
    const whole = Buffer.concat([rest, bytes.subarray(0, end)])
    if (end === 0) {
      rest = Buffer.concat([rest, bytes])
      return
    }
    rest = bytes.subarray(end)
    from.pause()
    writeBatch(whole, () => from.resume())
  })
}
