import { type JsonValue, stringifyJson } from '../../util/json/json.js'
import { clipped } from '../../util/text/clipped.js'

/** Longer names are cut in messages: an answer must not repeat a body. */
const MAX_NAME = 100
/** Of a value, in characters of its JSON. */
const MAX_VALUE = 200
const MAX_VALUES = 20

/** A name as messages show it. */
export function shownName(name: string): string {
  return clipped(name, MAX_NAME)
}

/** A value of a schema as messages show it. */
export function shownValue(value: JsonValue): string {
  return clipped(stringifyJson(value), MAX_VALUE)
}

/** The values of an `enum` as messages show them: plain words as they are. */
export function shownValues(values: readonly JsonValue[]): string {
  const more = values.length > MAX_VALUES ? [`… ${values.length - MAX_VALUES} more`] : []
  const first = values.slice(0, MAX_VALUES)
  const shown = first.every(isWord) ? first : first.map(shownValue)
  return [...shown, ...more].join(', ')
}

function isWord(value: JsonValue): value is string {
  return typeof value === 'string' && /^[A-Za-z][\w.-]*$/.test(value)
}
