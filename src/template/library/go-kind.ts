import { kindOf, typeName } from '../format/kind.js'
import type { Value } from '../value.js'

/** What Go says when a function dereferences nil. */
export const NIL_POINTER = 'runtime error: invalid memory address or nil pointer dereference'

/** reflect.Kind's own name: `int64` and `float64`, where the engine's kinds say int and float. */
export function goKind(value: Value): string {
  const kind = kindOf(value)
  switch (kind) {
    case 'int':
    case 'uint':
    case 'float': {
      const name = typeName(value)
      return name.startsWith('time.') ? 'int64' : name
    }
    case 'pointer':
      return 'ptr'
    default:
      return kind
  }
}
