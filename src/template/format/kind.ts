import { knownCount } from '../../util/json/names-of.js'
import type { DeclaredFunction } from '../api.js'
import { Boxed, Complex, Float, isInt, Slice, Typed, toFloat, type Value } from '../value.js'

/** reflect.Kind as far as templates can distinguish kinds; `invalid` is nil and the missing value. */
export type ValueKind =
  | 'invalid'
  | 'bool'
  | 'int'
  | 'uint'
  | 'float'
  | 'complex'
  | 'string'
  | 'slice'
  | 'map'
  | 'func'
  | 'struct'
  | 'pointer'

const INTEGER_TYPES = new Set([
  'int',
  'int8',
  'int16',
  'int32',
  'int64',
  'time.Duration',
  'time.Month',
  'time.Weekday',
])
const UNSIGNED_TYPES = new Set(['uint', 'uint8', 'uint16', 'uint32', 'uint64', 'uintptr'])
const SELF_TYPED = new Set([
  'string',
  'int',
  'bool',
  'interface {}',
  '[]interface {}',
  'map[string]interface {}',
])
const FLOAT_TYPES = new Set(['float32', 'float64'])

/** A value of a Go type that has methods, String among them, as time.Time. */
export abstract class Stringer extends Typed {
  /** What the String method returns. */
  abstract text(): string

  /** The method that `.Name` calls, if the type has one. */
  abstract method(name: string): DeclaredFunction | undefined
}

/** Names that a template must not mistake for fields of a Stringer. */
export const STRINGER_METHODS: readonly (keyof Stringer)[] = ['text', 'method']

/** The kind of a value. */
export function kindOf(value: Value): ValueKind {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return isInt(value) ? 'int' : 'float'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'function':
      return 'func'
    case 'object':
      return value === null ? 'invalid' : kindOfObject(value)
    default:
      return 'invalid'
  }
}

/** The type as `%T` prints it, `<nil>` for nil. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return isInt(value) ? 'int' : 'float64'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'function':
      return 'func(...interface {}) (interface {}, error)'
    case 'object':
      return value === null ? '<nil>' : typeOfObject(value)
    default:
      return '<nil>'
  }
}

/** Go's truth: false for zero, empty, nil and missing values. */
export function truth(value: Value): boolean {
  switch (typeof value) {
    case 'object':
      return value !== null && truthOfObject(value)
    case 'number':
      return value !== 0
    case 'bigint':
      return value !== 0n
    case 'undefined':
      return false
    case 'string':
      return value !== ''
    case 'boolean':
      return value
    default:
      return true
  }
}

/** The number behind an int, uint or float value of any Go type. */
export function numberOf(value: Value): number | bigint {
  if (value instanceof Float) return value.value
  const inner = value instanceof Typed ? value.value : value
  return typeof inner === 'bigint' ? inner : Number(inner)
}

/** The elements of a list of any Go type, in order; the caller knows that it is one. */
export function elementsOf(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value
  if (value instanceof Slice) return value.items.slice(value.start, value.end)
  const items = itemsOf(value)
  const element = value instanceof Typed ? elementType(value.type) : ''
  return isSelfTyped(element) ? items : items.map((item) => withType(item, element))
}

/** The length of a list of any Go type. */
export function listLength(value: Value): number {
  if (value instanceof Slice) return value.end - value.start
  return itemsOf(value).length
}

/** The items of an array or a typed list as they are, not in the form of their Go type. */
export function itemsOf(value: Value): readonly Value[] {
  const items = value instanceof Typed ? value.value : value
  return Array.isArray(items) ? items : []
}

/** The object behind a map of any Go type. */
export function entriesOf(value: Value): Readonly<Record<string, Value>> {
  const entries = value instanceof Typed ? value.value : value
  return isEntries(entries) ? entries : {}
}

function isEntries(value: Value): value is Readonly<Record<string, Value>> {
  return typeof value === 'object' && value !== null
}

/** An element of a typed list or map in the form of its Go type. */
export function elementOf(container: Value, item: Value): Value {
  if (!(container instanceof Typed)) return item
  const element = elementType(container.type)
  return isSelfTyped(element) ? item : withType(item, element)
}

/** The zero value of the elements of a list or map. */
export function zeroElement(container: Value): Value {
  const element = container instanceof Typed ? elementType(container.type) : 'interface {}'
  if (element === 'string') return ''
  if (element === 'bool') return false
  if (INTEGER_TYPES.has(element) || UNSIGNED_TYPES.has(element)) return withType(0, element)
  return FLOAT_TYPES.has(element) ? new Float(0) : null
}

function kindOfObject(value: object): ValueKind {
  if (Array.isArray(value)) return 'slice'
  return value instanceof Boxed ? kindOfBoxed(value) : 'map'
}

function kindOfBoxed(value: Boxed): ValueKind {
  if (value instanceof Slice) return 'slice'
  if (value instanceof Float) return 'float'
  if (value instanceof Complex) return 'complex'
  return value instanceof Typed ? kindOfType(value.type) : 'map'
}

function kindOfType(type: string): ValueKind {
  if (type === '<nil>') return 'invalid'
  if (type.startsWith('[')) return 'slice'
  if (type.startsWith('map[')) return 'map'
  if (INTEGER_TYPES.has(type)) return 'int'
  if (UNSIGNED_TYPES.has(type)) return 'uint'
  if (FLOAT_TYPES.has(type)) return 'float'
  return type.startsWith('*') ? 'pointer' : type.startsWith('func(') ? 'func' : 'struct'
}

function typeOfObject(value: object): string {
  if (Array.isArray(value) || value instanceof Slice) return '[]interface {}'
  if (value instanceof Float) return 'float64'
  return value instanceof Typed ? value.type : 'map[string]interface {}'
}

function truthOfObject(value: object): boolean {
  if (Array.isArray(value)) return value.length > 0
  switch (kindOfObject(value)) {
    case 'slice':
      return listLength(value) > 0
    case 'map':
      return hasOwnKey(entriesOf(value))
    case 'int':
    case 'uint':
    case 'float': {
      const number = numberOf(value)
      return number !== 0 && number !== 0n
    }
    case 'complex':
      return value instanceof Complex && (value.real !== 0 || value.imaginary !== 0)
    default:
      return kindOfObject(value) !== 'invalid'
  }
}

/** Keys from which on looking for one takes long, as the engine gathers all of them first. */
const MANY_KEYS = 64
/** One key of each large map that was looked at: while the map has it, it is not empty. */
const knownKeys = new WeakMap<object, string>()

/** True for an object with properties of its own. */
export function hasOwnKey(object: object): boolean {
  if (knownCount(object) !== undefined) return true
  const known = knownKeys.get(object)
  if (known !== undefined && Object.hasOwn(object, known)) return true
  let count = 0
  for (const key in object) {
    if (!Object.hasOwn(object, key)) continue
    count += 1
    if (count < MANY_KEYS) continue
    knownKeys.set(object, key)
    return true
  }
  return count > 0
}

/** `[]string` and `map[string]string` to `string`. */
function elementType(type: string): string {
  return type.slice(type.indexOf(']') + 1)
}

/** True if JavaScript values of the type carry it without a box. */
function isSelfTyped(type: string): boolean {
  return SELF_TYPED.has(type)
}

function withType(item: Value, type: string): Value {
  if (item instanceof Typed || item instanceof Float) return item
  if (type === 'float64') return typeof item === 'number' ? toFloat(item) : item
  return new Typed(type, item)
}
