import { ServiceError } from '../errors.js'
import type { RecordAddress } from './state-store.js'

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
/** What follows `~` tells owners apart, where an owner chose the name. */
const RECORD_ID = /^[A-Za-z0-9._-]{1,100}(?:~[0-9a-f]{16})?$/
const NAME = /^[A-Za-z0-9._-]{1,128}$/

/** @throws ServiceError `invalid_request` for an id that is invalid */
export function assertRecordId({ kind, id }: RecordAddress): void {
  if (!RECORD_ID.test(id)) throw invalid(`the id of a ${kind}`, '1 to 100 of A-Z a-z 0-9 . _ -')
}

/** @throws ServiceError `invalid_request` for a name (of a context, an approval) that is invalid */
export function assertName(what: string, name: string): void {
  if (!NAME.test(name)) throw invalid(what, '1 to 128 of A-Z a-z 0-9 . _ -')
}

/** @throws ServiceError `invalid_request` for a key or value that memory does not take */
export function assertMemory(key: string, value: string): void {
  if (key.length === 0 || key.length > MAX_MEMORY_KEY_CHARACTERS)
    throw invalid('a memory key', `1 to ${MAX_MEMORY_KEY_CHARACTERS} characters`)
  if (Buffer.byteLength(value) > MAX_MEMORY_VALUE_BYTES)
    throw invalid('a memory value', `at most ${MAX_MEMORY_VALUE_BYTES} bytes of UTF-8`)
}

function invalid(what: string, form: string): ServiceError {
  return new ServiceError('invalid_request', `Invalid ${what}: it must be ${form}`)
}
/** Records without an open turn that a process keeps in its memory, unless an option says otherwise. */
export const DEFAULT_MAX_IDLE = 10_000
