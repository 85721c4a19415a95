import { openEnum } from './open-enum.js'
import { Type } from './type.js'

/** Every way a tool call fails. */
export const TOOL_FAILURE_CODES = [
  ...(['invalid_arguments', 'unknown_tool', 'invalid_tool', 'missing_secret', 'forbidden'] as const),
  ...([
    'host_not_allowed',
    'address_refused',
    'circuit_open',
    'overloaded',
    'cancelled',
    'rejected',
  ] as const),
  ...(['unreachable', 'connection_lost', 'timeout', 'upstream_error', 'redirect_refused'] as const),
  ...(['too_large', 'bad_response', 'internal'] as const),
] as const

/** A stable name of one kind of failed tool call. */
export type ToolFailureCode = (typeof TOOL_FAILURE_CODES)[number]

/** The code of a failed tool call. */
export const ToolFailureCodeShape = openEnum(
  TOOL_FAILURE_CODES,
  'Why a tool call failed: stable, to branch on',
  {
    title: 'ToolFailureCode',
  },
)

/** Why a tool call failed, as answers say it. */
export const ToolFailureShape = Type.Object(
  {
    code: ToolFailureCodeShape,
    message: Type.String({ description: 'Human-readable' }),
  },
  { title: 'ToolFailure', description: 'Why a tool call failed' },
)
