import type { DestinationStream, Logger as PinoLogger } from 'pino'
import { pino } from '../packages/pino.js'
import { createLogOutput, type LogOutput, type WriteBatch } from './log-output.js'
import { loggedError } from './logged-error.js'
import { type ReadableLogOptions, readableLog } from './readable-log.js'
import { descriptorWriter } from './write-descriptor.js'

/** Structured log: one record per line. */
export type Logger = PinoLogger

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
/** What the lines of the log look like: JSON for programs, text for people; `auto` is text on a terminal. */
export const LOG_FORMATS = ['auto', 'json', 'text'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

const STANDARD_OUTPUT = 1

/** Creates the process's logger. `flush()` it before the process ends. `bound` is part of every line. */
export function createLogger(
  level: LogLevel,
  destination: DestinationStream = standardOutput(),
  bound: Readonly<Record<string, string | number>> | null = null,
): Logger {
  const timestamp = pino.stdTimeFunctions.isoTime
  return pino({ level, base: bound, timestamp, serializers: { err: serializeError } }, destination)
}

/** A logger that says nothing, for tests and for embedding. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' })
}

/**
 * Standard output as JSON lines, or as readable ones. Lines that it cannot take are dropped and counted: logging neither
 * blocks the service nor ends it.
 */
export function standardOutput(
  readable?: ReadableLogOptions,
  writeBatch: WriteBatch = descriptorWriter(STANDARD_OUTPUT),
): LogOutput {
  const output = createLogOutput(writeBatch, () => new Date().toISOString())
  return readable === undefined ? output : readableLog(output, readable)
}

/** What was thrown, as the log has it; what is such a form already stays. */
function serializeError(error: unknown): unknown {
  const isForm = typeof error === 'object' && error !== null && !(error instanceof Error)
  return isForm ? error : loggedError(error)
}
