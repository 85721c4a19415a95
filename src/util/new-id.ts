import { randomFillSync } from 'node:crypto'

const BYTES_PER_ID = 16
/** Random bytes for the next ids: drawn by the page, as a draw costs more than the bytes. */
const PAGE = Buffer.alloc(256 * BYTES_PER_ID)
let used = PAGE.length

/**
 * An id that nothing else has, for what is kept: 32 hexadecimal digits, one string. A UUID of Node is put together of
 * dozens of pieces, takes twice the time, and four times the memory until somebody reads a character of it.
 */
export function newId(): string {
  if (used === PAGE.length) {
    randomFillSync(PAGE)
    used = 0
  }
  used += BYTES_PER_ID
  return PAGE.toString('hex', used - BYTES_PER_ID, used)
}
