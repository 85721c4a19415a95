import type { ParameterType } from '../api.js'
import type { Operand } from '../ast.js'
import { constantFloat } from '../dialects/go/number.js'
import { printNode } from '../dialects/go/printer.js'
import { typeName } from '../format/kind.js'
import { execError, type Site } from '../site.js'
import type { Value } from '../value.js'
import { Pending } from './pending.js'

const GO_TYPES: Readonly<Record<ParameterType, string>> = {
  int: 'int',
  int64: 'int64',
  float64: 'float64',
  string: 'string',
  bool: 'bool',
  any: 'interface {}',
  '[]any': '[]interface {}',
  '[]string': '[]string',
  'map[string]any': 'map[string]interface {}',
  'time.Time': 'time.Time',
}
const CONSTANT_NAMES: Partial<Record<ParameterType, string>> = {
  int: 'integer',
  int64: 'integer',
  float64: 'float',
  string: 'string',
  bool: 'bool',
}

/** Go's complaint about the number of arguments, empty for a valid one. */
export function countMessage(
  name: string,
  parameters: number,
  variadic: boolean,
  operands: number,
  hasFinal: boolean,
): string {
  const given = operands + (hasFinal ? 1 : 0)
  const wrong = `wrong number of args for ${name}: want`
  if (!variadic) return given === parameters ? '' : `${wrong} ${parameters} got ${given}`
  return given >= parameters - 1 ? '' : `${wrong} at least ${parameters - 1} got ${operands}`
}

/** Go's complaint about a value's type, empty for a valid one. */
export function mismatch(value: Value, parameter: ParameterType): string {
  if (parameter === 'any' || value instanceof Pending) return ''
  const expected = GO_TYPES[parameter]
  if (value === undefined) {
    return canBeNil(parameter) ? '' : `invalid value; expected ${expected}`
  }
  const actual = value === null ? 'interface {}' : typeName(value)
  return actual === expected ? '' : `wrong type for value; expected ${expected}; got ${actual}`
}

/**
 * The value of a constant where no type is asked for.
 *
 * @throws TemplateError if it overflows int
 */
export function idealValue(operand: Operand, site: Site): Value {
  switch (operand.kind) {
    case 'bool':
      return operand.value
    case 'string':
      return operand.text
    case 'number':
      if (operand.ideal === null) throw execError(site, `${operand.text} overflows int`)
      return operand.ideal
    default:
      return null
  }
}

/** Go's complaint about a constant where a type is wanted. */
export function constantMessage(operand: Operand, parameter: ParameterType): string {
  if (operand.kind === 'nil') return `cannot assign nil to ${GO_TYPES[parameter]}`
  const wanted = CONSTANT_NAMES[parameter]
  if (wanted !== undefined) return `expected ${wanted}; found ${printNode(operand)}`
  return `can't handle ${printNode(operand)} for arg of type ${GO_TYPES[parameter]}`
}

/** The constant as its parameter wants it; undefined if it does not fit. */
export function typedConstant(operand: Operand, parameter: ParameterType): Value {
  if (operand.kind === 'nil') return canBeNil(parameter) ? null : undefined
  switch (parameter) {
    case 'int':
    case 'int64':
      return operand.kind === 'number' ? (operand.int ?? undefined) : undefined
    case 'float64':
      return operand.kind === 'number' ? (constantFloat(operand) ?? undefined) : undefined
    case 'string':
      return operand.kind === 'string' ? operand.text : undefined
    case 'bool':
      return operand.kind === 'bool' ? operand.value : undefined
    default:
      return undefined
  }
}

function canBeNil(parameter: ParameterType): boolean {
  return parameter === 'any' || parameter.startsWith('[') || parameter.startsWith('map[')
}
