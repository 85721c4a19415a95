import { createHash } from 'node:crypto'
import { ServiceError } from '../errors.js'
import type { RecordAddress } from './contract/record-state.js'
import { MAX_MEMORY_KEY_CHARACTERS, MAX_MEMORY_VALUE_BYTES } from './limits.js'

/** Parts a session's name from its owner; no name has it. */
const MARK = '~'
/** Hexadecimal digits that distinguish owners. */
const DIGITS = 16
/** The owner of what is made without keys: there names are everybody's. */
export const NOBODY = '-'
/** The part after `~` distinguishes owners, for names that an owner chose. */
const RECORD_ID = /^[A-Za-z0-9._-]{1,100}(?:~[0-9a-f]{16})?$/
const NAME = /^[A-Za-z0-9._-]{1,128}$/

/** The id under which a name that one owner chose is stored: other owners' sessions of this name have other ids. */
export function storedName(name: string, owner: string): string {
  if (owner === NOBODY) return name
  return name + MARK + createHash('sha256').update(owner).digest('hex').slice(0, DIGITS)
}

/** The id of a record as clients know it. */
export function shownId({ kind, id }: Pick<RecordAddress, 'kind' | 'id'>): string {
  const end = kind === 'session' ? id.indexOf(MARK) : -1
  return end < 0 ? id : id.slice(0, end)
}

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
