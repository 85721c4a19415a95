import type { Config } from '../config.js'
import type { WriteBatch } from '../util/telemetry/log-output.js'
import { createLogger, type Logger, standardOutput } from '../util/telemetry/logger.js'
import type { CliContext } from './command.js'

/** Whether a person reads what the log writes: what `LOG_FORMAT` says, or whether standard output is a terminal. */
export function isReadable({ logFormat }: Config, { isTerminal = false }: CliContext): boolean {
  return logFormat === 'auto' ? isTerminal : logFormat === 'text'
}

/** What is different for a process that serves beside others. */
export interface TerminalLogOptions {
  /** Part of every record. */
  readonly bound?: Readonly<Record<string, number>>
  /** Where lines go; default: this process's standard output. */
  readonly writeBatch?: WriteBatch
}

/** The log of a process that serves. */
export function createTerminalLog(
  config: Config,
  context: CliContext,
  { bound, writeBatch }: TerminalLogOptions = {},
): Logger {
  const colors = context.isTerminal === true && (context.environment['NO_COLOR'] ?? '') === ''
  const readable = isReadable(config, context) ? { colors } : undefined
  return createLogger(config.logLevel, standardOutput(readable, writeBatch), bound ?? null)
}
