import pino, { type DestinationStream, type Logger as PinoLogger } from 'pino'
import { createLogOutput } from './log-output.js'
import { descriptorWriter } from './write-descriptor.js'

/** Structured log, one JSON object per line. */
export type Logger = PinoLogger

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const STANDARD_OUTPUT = 1

/** Creates the process's logger. `flush()` it before the process ends. `bound` stands in every line. */
export function createLogger(
  level: LogLevel,
  destination: DestinationStream = standardOutput(),
  bound: Readonly<Record<string, string | number>> | null = null,
): Logger {
  return pino({ level, base: bound, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}

/** A logger that says nothing, for tests and for embedding. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' })
}

/** Lines that this cannot take are dropped and counted: logging neither blocks the service nor ends it. */
function standardOutput(): DestinationStream {
  return createLogOutput(descriptorWriter(STANDARD_OUTPUT), () => new Date().toISOString())
}
