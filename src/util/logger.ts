import pino, { type DestinationStream, type Logger as PinoLogger } from 'pino'

/** Structured log, one JSON object per line. */
export type Logger = PinoLogger

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Lines are written together: a write per line costs more than the request it describes. */
const BUFFER_BYTES = 8_192
const FLUSH_EVERY_MS = 250

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

function bufferedStandardOutput(): DestinationStream {
  return pino.destination({ fd: 1, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_EVERY_MS })
}
