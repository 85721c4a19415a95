import pino, { type DestinationStream, type Logger as PinoLogger } from 'pino'

/** Structured log, one JSON object per line. */
export type Logger = PinoLogger

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Lines are written together: a write per line costs more than the request it describes. */
const BATCH_BYTES = 65_536
/** A character takes at most three bytes of UTF-8. */
const MAX_BYTES_PER_CHARACTER = 3
const FLUSH_EVERY_MS = 200

/** Creates the process's logger. `flush()` it before the process ends. */
export function createLogger(
  level: LogLevel,
  destination: DestinationStream = bufferedStandardOutput(),
): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}

/** A logger that says nothing, for tests and for embedding. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' })
}

/**
 * Standard output, lines gathered as bytes. Pino's own buffered mode measures everything gathered so far for each
 * line, so the gathering is done here and its stream gets whole batches.
 */
function bufferedStandardOutput(): DestinationStream & { flush(done?: () => void): void; flushSync(): void } {
  // The option is missing in pino's types; the stream below takes it.
  const options: object = { fd: 1, sync: false, contentMode: 'buffer' }
  const output = pino.destination(options) as unknown as { write(bytes: Buffer): void; flushSync(): void }
  let batch = Buffer.allocUnsafe(BATCH_BYTES)
  let used = 0
  let timer: NodeJS.Timeout | undefined
  const pass = () => {
    clearTimeout(timer)
    timer = undefined
    if (used === 0) return
    output.write(batch.subarray(0, used))
    batch = Buffer.allocUnsafe(BATCH_BYTES)
    used = 0
  }
  const flushSync = () => {
    pass()
    output.flushSync()
  }
  return {
    write(line) {
      const atMost = line.length * MAX_BYTES_PER_CHARACTER
      if (used + atMost > BATCH_BYTES) pass()
      if (atMost > BATCH_BYTES) return output.write(Buffer.from(line))
      used += batch.write(line, used)
      timer ??= setTimeout(pass, FLUSH_EVERY_MS).unref()
    },
    flushSync,
    flush(done) {
      flushSync()
      done?.()
    },
  }
}
