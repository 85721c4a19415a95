import { Type } from '../../schema/type.js'
import { operations } from '../openapi/operations.js'

/** Describes what only looks at a session. */
export const reads = operations('sessions', 400, 401, 403, 404, 429, 500, 503)

/** Describes what changes a session, or has it work. */
export const writes = operations(
  'sessions',
  ...([400, 401, 403, 413, 415, 429, 500, 502, 503] as const),
  ...(['session_not_found', 'agent_not_found'] as const),
  ...(['session_busy', 'already_exists', 'idempotency_conflict', 'limit_exceeded'] as const),
)

/** The answer of what takes something away. */
export const NO_CONTENT = { 204: Type.Null({ description: 'Done' }) }
