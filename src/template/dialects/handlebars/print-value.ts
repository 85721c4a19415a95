import { namesOf } from '../../../util/json/names-of.js'
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
  for (const key of namesOf(entries)) {
    const item = entries[key]
    if (item === undefined) continue
    text += `${text === '{' ? '' : ','}${JSON.stringify(key)}:`
    text += toJson(item)
  }
  return `${text}}`
}

/** The pieces of a large list or map as JSON, each of them quick to make; an empty one after what was not. */
export function* piecesOfJson(value: Value, isLarge: (part: Value) => boolean): Generator<string> {
  if (kindOf(value) === 'slice') yield* listPieces(elementsOf(value), isLarge)
  else yield* mapPieces(entriesOf(value), isLarge)
}

function* partPieces(value: Value, isLarge: (part: Value) => boolean): Generator<string> {
  if (isLarge(value)) yield* piecesOfJson(value, isLarge)
  else yield toJson(value)
}

function* listPieces(items: readonly Value[], isLarge: (part: Value) => boolean): Generator<string> {
  yield '['
  for (let i = 0; i < items.length; i++) {
    if (i > 0) yield ','
    yield* partPieces(items[i], isLarge)
  }
  yield ']'
}

function* mapPieces(
  entries: Readonly<Record<string, Value>>,
  isLarge: (part: Value) => boolean,
): Generator<string> {
  yield '{'
  yield ''
  let separator = ''
  const keys = namesOf(entries)
  yield ''
  for (const key of keys) {
    const item = entries[key]
    if (item === undefined) continue
    yield `${separator}${JSON.stringify(key)}:`
    yield* partPieces(item, isLarge)
    separator = ','
  }
  yield '}'
}
