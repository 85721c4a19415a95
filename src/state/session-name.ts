import { createHash } from 'node:crypto'
import type { RecordAddress } from './state-store.js'

/** Parts a session's name from its owner; no name has it. */
const MARK = '~'
/** Hexadecimal digits that tell owners apart. */
const DIGITS = 16
/** The owner of what is made without keys: there names are everybody's. */
export const NOBODY = '-'

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
