import { type ErrorCode, ServiceError } from '../errors.js'

/** What may succeed when it is tried again. The state store retries by itself, so its failures are not here. */
const RECOVERABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'llm_unavailable',
  'llm_bad_response',
  'overloaded',
  'rate_limited',
  'tool_failed',
  'memory_not_found',
  'turn_interrupted',
])

/** Statuses of an upstream that refuses our key: no repetition helps. */
const REFUSED_KEY = new Set([401, 402, 403])

/** Whether the same work may succeed when it is done again, by the code of what it failed with. */
export function isRecoverable(error: unknown): boolean {
  if (!(error instanceof ServiceError) || !RECOVERABLE.has(error.code)) return false
  return error.code !== 'llm_unavailable' || !REFUSED_KEY.has(upstreamStatus(error) ?? 0)
}

function upstreamStatus({ details }: ServiceError): number | undefined {
  if (typeof details !== 'object' || details === null || !('upstream_status' in details)) return undefined
  return typeof details.upstream_status === 'number' ? details.upstream_status : undefined
}
