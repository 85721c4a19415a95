import type { Tool } from './toolbox.js'

/** Whether calling the tool twice, with the same idempotency key, has no second effect. */
export function isRepeatable({ readOnly, idempotent }: Pick<Tool, 'readOnly' | 'idempotent'>): boolean {
  return readOnly === true || idempotent === true
}
