/** The version of what is stored; a record of a newer one is not touched. */
export const STATE_VERSION = 1
/** How many keys the memory of a session may hold. */
export const MAX_MEMORY_KEYS = 1_000
/** How many contexts a session may have. */
export const MAX_CONTEXTS = 100
/** About how many events of a record are kept. */
export const MAX_EVENTS = 10_000
/** A record that keeps so much, of what was asked and said, takes no new turn; about bytes. */
export const MAX_RECORD_BYTES = 64 * 2 ** 20
/** How many idempotency keys a process remembers that keeps state in its memory; the oldest go. */
export const MAX_CLAIMS = 100_000
/** How long an idempotency key is known. */
export const CLAIM_TTL_MS = 24 * 3_600_000
/** A new task that nobody runs is looked for after this time. */
export const TASK_CHECK_MS = 30_000
/** How long a response is kept after its last use, unless a setting says otherwise. */
export const RESPONSE_TTL_MS = 30 * 24 * 3_600_000
/** How long events of a record stay after its last one. */
export const EVENT_TTL_MS = {
  session: 600_000,
  task: 24 * 3_600_000,
  response: 24 * 3_600_000,
  conversation: 600_000,
} as const
/** How long what nothing ends is named in the list of its owner. */
export const LISTED_FOREVER_MS = 10 * 365 * 24 * 3_600_000

export const MAX_MEMORY_KEY_CHARACTERS = 256
/** The longest value of a session's memory, in bytes of UTF-8. */
export const MAX_MEMORY_VALUE_BYTES = 32_768
/** Records without an open turn that a process keeps in its memory, unless an option says otherwise. */
export const DEFAULT_MAX_IDLE = 10_000
