import { Typed, type Value } from '../value.js'
import { GoError } from './go-error.js'
import { kindOf, typeName } from './kind.js'

/**
 * The `call` builtin: runs a function that is data. JSON holds none, so this mostly explains why not.
 *
 * @param name how the text names the function; undefined where it comes through the pipe
 */
export function call(name: string | undefined, target: Value, ...values: Value[]): Value {
  if (target === null || target === undefined) throw new GoError('call of nil')
  if (typeof target !== 'function') {
    throw new GoError(`non-function ${name ?? reflected(target)} of type ${typeName(target)}`)
  }
  return Reflect.apply(target, undefined, values)
}

/** reflect.Value.String: a text is itself. */
function reflected(value: Value): string {
  if (kindOf(value) !== 'string') return `<${typeName(value)} Value>`
  return String(value instanceof Typed ? value.value : value)
}
