import { fstatSync, write } from 'node:fs'
import { Socket } from 'node:net'
import type { WriteBatch } from './log-output.js'

/**
 * Writes to an open file descriptor without ever holding the event loop, be it a file, a terminal, a pipe or a socket.
 * The next batch is due when `done` was called.
 */
export function descriptorWriter(descriptor: number): WriteBatch {
  return isPipe(descriptor) ? pipeWriter(descriptor) : fileWriter(descriptor)
}

/** Whether what is written there comes out in pieces when several write: so it is with a pipe and a socket. */
export function isPipe(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor)
    return stats.isFIFO() || stats.isSocket()
  } catch {
    return false
  }
}

/** Not through the thread pool: a write that waits for a reader would hold a thread, and the process's end with it. */
function pipeWriter(descriptor: number): WriteBatch {
  const pipe = new Socket({ fd: descriptor, readable: false, writable: true })
  // The write itself fails.
  pipe.on('error', () => {})
  return (bytes, done) => void pipe.write(bytes, done)
}

function fileWriter(descriptor: number): WriteBatch {
  return function writeAll(bytes, done) {
    write(descriptor, bytes, (error, written) => {
      if (error !== null || written === bytes.length) return done(error)
      writeAll(bytes.subarray(written), done)
    })
  }
}
