import type { Logger } from '../util/telemetry/logger.js'
import type { Metrics } from '../util/telemetry/metrics.js'
import type { ToolCallRecord } from './tool-caller.js'
import { TOOL_FAILURES } from './tool-failure.js'

/** Counts every tool call, and logs those that failed. Arguments and results stay out of the log, and so do messages that may repeat them. */
export function observeCalls(logger: Logger, metrics: Metrics): (record: ToolCallRecord) => void {
  const total = metrics.counter('tool_calls_total', 'Tool calls by outcome', ['tool', 'outcome'])
  const seconds = metrics.histogram('tool_call_duration_seconds', 'Time of one tool call', ['tool'])
  return ({ tool, type, requestId, traceparent, code, message, cached, durationMs, cause }) => {
    total.with(tool, cached ? 'cached' : code).value += 1
    seconds.with(tool).observe(durationMs / 1000, traceparent)
    if (code !== 'ok') {
      const level = cause === undefined ? 'warn' : 'error'
      const said = code === 'internal' || !TOOL_FAILURES[code].isLogged ? '' : `: ${message}`
      logger[level]({ requestId, tool, type, code, durationMs, err: cause }, `tool call failed${said}`)
    }
  }
}
