import { elementsOf, entriesOf, kindOf } from '../../format/kind.js'
import { Nothing } from '../../nothing.js'
import { Float, Typed, type Value } from '../../value.js'

/** A value as the dialect prints it: text as it is, nothing for null, everything else as JSON. */
export function printValue(value: Value): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return value instanceof Nothing ? value.text() : toJson(value)
}

function toJson(value: Value): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'object':
      return value === null ? 'null' : containerToJson(value)
    default:
      return 'null'
  }
}

function containerToJson(value: object): string {
  if (value instanceof Float) return toJson(value.value)
  switch (kindOf(value)) {
    case 'slice':
      return listToJson(elementsOf(value))
    case 'map':
      return objectToJson(entriesOf(value))
    default:
      return value instanceof Typed ? toJson(value.value) : JSON.stringify(String(value))
  }
}

/** Not joined at every depth: what is added is copied once, at the end. */
function listToJson(items: readonly Value[]): string {
  let text = '['
  for (let i = 0; i < items.length; i++) text += i === 0 ? toJson(items[i]) : `,${toJson(items[i])}`
  return `${text}]`
}

function objectToJson(entries: Readonly<Record<string, Value>>): string {
  let text = '{'
  for (const [key, item] of Object.entries(entries)) {
    if (item === undefined) continue
    text += `${text === '{' ? '' : ','}${JSON.stringify(key)}:`
    text += toJson(item)
  }
  return `${text}}`
}
