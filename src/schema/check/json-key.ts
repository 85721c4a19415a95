import type { JsonValue } from '../../util/json/json.js'
import type { CheckRun } from './check-run.js'

/** Making a text, and finding it among many, costs more than looking at a value. */
const STEPS_PER_LIST = 20
const STEPS_PER_SCALAR = 10

/**
 * A text that equal values share and others do not, in time linear in the value: names sorted, numbers by value
 * whichever type holds them.
 */
export function jsonKey(value: JsonValue, run?: CheckRun): string {
  run?.charge(typeof value === 'object' ? STEPS_PER_LIST : STEPS_PER_SCALAR)
  switch (typeof value) {
    case 'string':
      run?.charge(value.length >> 6)
      return `"${value.length}:${value}`
    case 'number':
      return Number.isSafeInteger(value) || !Number.isInteger(value) ? `${value + 0}` : String(BigInt(value))
    case 'bigint':
    case 'boolean':
      return String(value)
  }
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${value.map((item) => jsonKey(item, run)).join(',')}]`
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([name, item]) => `${jsonKey(name, run)}${jsonKey(item, run)}`).join(',')}}`
}
