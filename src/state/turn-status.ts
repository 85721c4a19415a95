/** A turn is open while it is one of the first three. */
export const TURN_STATUSES = [
  'queued',
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'exhausted',
  'timed_out',
] as const

/** The status of a turn. */
export type TurnStatus = (typeof TURN_STATUSES)[number]
