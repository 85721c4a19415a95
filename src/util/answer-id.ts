import { randomUUID } from 'node:crypto'

/** The random part of an answer's id, of letters and digits. Never made of what a client sent: two answers would share it. */
export function answerId(): string {
  return randomUUID().replaceAll('-', '')
}
