import { ELEMENTS, GLANCE } from '../cost.js'
import { typeName } from '../format/kind.js'
import type { Value } from '../value.js'
import { deepEqual } from './deep-equal.js'
import { goKind } from './go-kind.js'
import { anything, definer, type LibraryFunction } from './library-function.js'

const define = definer('Types', GLANCE)

/** Functions that ask what a value is. */
export const TYPE_FUNCTIONS: readonly LibraryFunction[] = [
  define('typeOf value', "The value's Go type.", {
    parameters: anything(1),
    returns: 'string',
    call: typeName,
    example: '{{typeOf (list 1)}}',
  }),
  define('kindOf value', "The kind of the value's type.", {
    parameters: anything(1),
    returns: 'string',
    call: goKind,
    example: '{{kindOf (list 1)}}',
  }),
  define('typeIs type value', 'True if the value is of the type.', {
    parameters: ['string', 'any'],
    returns: 'bool',
    call: (type: string, value: Value) => typeName(value) === type,
    example: '{{typeIs "int" 1}}',
  }),
  define('typeIsLike type value', 'True if the value is of the type or a pointer to it.', {
    parameters: ['string', 'any'],
    returns: 'bool',
    call: (type: string, value: Value) => typeName(value) === type || typeName(value) === `*${type}`,
    example: '{{typeIsLike "int" 1}}',
  }),
  define('kindIs kind value', 'True if the value is of the kind.', {
    parameters: ['string', 'any'],
    returns: 'bool',
    call: (kind: string, value: Value) => goKind(value) === kind,
    example: '{{kindIs "string" "x"}}',
  }),
  define('deepEqual a b', 'True if both have the same type and the same content.', {
    cost: ELEMENTS,
    parameters: anything(2),
    returns: 'bool',
    call: deepEqual,
    example: '{{deepEqual (list 1 2) (list 1 2)}}',
  }),
]
