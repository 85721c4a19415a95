import pino, { type DestinationStream, type Logger as PinoLogger } from 'pino'

/** Structured log, one JSON object per line. */
export type Logger = PinoLogger

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Lines are written together: a write per line costs more than the request it describes. */
const BUFFER_CHARACTERS = 32_768
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
 * Standard output, lines gathered. Pino's own buffered mode measures everything gathered so far for each line,
 * so the gathering is done here and its stream gets whole batches.
 */
function bufferedStandardOutput(): DestinationStream & { flush(done?: () => void): void; flushSync(): void } {
  const output = pino.destination({ fd: 1, sync: false })
  let gathered = ''
  let timer: NodeJS.Timeout | undefined
  const pass = () => {
    clearTimeout(timer)
    timer = undefined
    const batch = gathered
    gathered = ''
    if (batch !== '') output.write(batch)
  }
  const flushSync = () => {
    pass()
    output.flushSync()
  }
  return {
    write(line) {
      gathered += line
      if (gathered.length >= BUFFER_CHARACTERS) pass()
      else timer ??= setTimeout(pass, FLUSH_EVERY_MS).unref()
    },
    flushSync,
    flush(done) {
      flushSync()
      done?.()
    },
  }
}
