import type { Logger } from '../../src/util/telemetry/logger.js'
import { silentLogger } from '../../src/util/telemetry/logger.js'

/** One line of a log, as its fields. */
export type LogLine = Readonly<Record<string, unknown>>

export interface RecordingLogger {
  readonly logger: Logger
  /** Lines of the levels info and warn so far. */
  lines(): readonly LogLine[]
}

/** A logger that keeps what it is told. */
export function recordingLogger(): RecordingLogger {
  const lines: LogLine[] = []
  const logger = silentLogger()
  const keep = (level: string) => (facts: object, msg: string) => void lines.push({ level, msg, ...facts })
  return { logger: Object.assign(logger, { info: keep('info'), warn: keep('warn') }), lines: () => lines }
}
