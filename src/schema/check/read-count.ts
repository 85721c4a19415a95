import type { JsonValue } from '../../util/json/json.js'
import type { SchemaPart } from './keyword.js'

/** The value of a keyword that is a count. */
export function readCount(value: JsonValue, part: SchemaPart, keyword: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  return part.wrong(keyword, 'must be a whole number, 0 or more')
}
