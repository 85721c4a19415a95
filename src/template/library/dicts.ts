import { knownCount, namesOf } from '../../util/json/names-of.js'
import { COPY_DICT, FEW, GLANCE, MAKE, PAIRS, SHORT_TEXT } from '../cost.js'
import { sortedKeys } from '../format/byte-string.js'
import { GoError } from '../format/go-error.js'
import { kindOf, typeName } from '../format/kind.js'
import { checkElements } from '../format/size.js'
import { MAX_DICT_DEPTH, MAX_KEY_ELEMENTS, MAX_KEYS_ELEMENTS } from '../limits.js'
import { Slice, type Value } from '../value.js'
import { castString, isEmpty, stringList } from './cast.js'
import {
  anything,
  definer,
  type FunctionDefinition,
  type LibraryFunction,
  withMust,
} from './library-function.js'

type Dict = Readonly<Record<string, Value>>

const defineDicts = definer('Dicts', COPY_DICT)

/** Functions that make dicts or read them; none changes the dict it is given. */
export const DICT_FUNCTIONS: readonly LibraryFunction[] = [
  define('dict key value…', 'A dict of the pairs; a last key without value gets "".', {
    cost: PAIRS,
    parameters: anything(1),
    variadic: true,
    returns: 'map[string]any',
    call: makeDict,
    example: '{{dict "a" 1 "b" 2}}',
  }),
  define('get dict key', 'The value of the key, "" if it is missing.', {
    cost: GLANCE,
    parameters: ['map[string]any', 'string'],
    call: (dict: Dict, key: string) => (Object.hasOwn(dict, key) ? dict[key] : ''),
    example: '{{get (dict "a" 1) "a"}}',
  }),
  define('set dict key value', 'A new dict with the key set. Sprig changes the dict in place.', {
    parameters: ['map[string]any', 'string', 'any'],
    returns: 'map[string]any',
    call: (dict: Dict, key: string, value: Value) => withEntries([...entries(dict), [key, value ?? null]]),
    example: '{{set (dict "a" 1) "b" 2}}',
  }),
  define('unset dict key', 'A new dict without the key. Sprig changes the dict in place.', {
    parameters: ['map[string]any', 'string'],
    returns: 'map[string]any',
    call: (dict: Dict, key: string) => withEntries(entries(dict).filter(([name]) => name !== key)),
    example: '{{unset (dict "a" 1 "b" 2) "b"}}',
  }),
  define('hasKey dict key', 'True if the dict has the key.', {
    cost: GLANCE,
    parameters: ['map[string]any', 'string'],
    returns: 'bool',
    call: (dict: Dict, key: string) => Object.hasOwn(dict, key),
    example: '{{hasKey (dict "a" 1) "a"}}',
  }),
  define('pluck key dict…', 'The values of the key in those dicts that have it.', {
    cost: MAKE,
    parameters: ['string', 'map[string]any'],
    variadic: true,
    returns: '[]any',
    call: (key: string, ...dicts: Dict[]) =>
      dicts.filter((dict) => Object.hasOwn(dict, key)).map((dict) => dict[key]),
    example: '{{pluck "a" (dict "a" 1) (dict "b" 2)}}',
  }),
  define('keys dict…', 'The keys, sorted within each dict. Sprig gives them in random order.', {
    parameters: ['map[string]any'],
    variadic: true,
    returns: '[]string',
    call: (...dicts: Dict[]) => stringList(dicts.flatMap((dict) => sortedKeys(dict))),
    example: '{{keys (dict "b" 1 "a" 2)}}',
  }),
  define('values dict', 'The values in the order of their keys. Sprig gives them in random order.', {
    parameters: ['map[string]any'],
    returns: '[]any',
    call: (dict: Dict) => sortedKeys(dict).map((key) => dict[key]),
    example: '{{values (dict "b" 1 "a" 2)}}',
  }),
  define('pick dict key…', 'A dict of only these keys.', {
    cost: SHORT_TEXT,
    parameters: ['map[string]any', 'string'],
    variadic: true,
    returns: 'map[string]any',
    call: (dict: Dict, ...keys: string[]) =>
      withEntries(keys.filter((key) => Object.hasOwn(dict, key)).map((key) => [key, dict[key]])),
    example: '{{pick (dict "a" 1 "b" 2) "b"}}',
  }),
  define('omit dict key…', 'A dict without these keys.', {
    parameters: ['map[string]any', 'string'],
    variadic: true,
    returns: 'map[string]any',
    call: omit,
    example: '{{omit (dict "a" 1 "b" 2) "b"}}',
  }),
  define('merge dict source…', 'A new dict: the first, filled up from the others where it is empty.', {
    cost: FEW,
    parameters: ['map[string]any', 'map[string]any'],
    variadic: true,
    aliases: withMust('merge'),
    call: (dict: Dict, ...sources: Dict[]) => merged(dict, sources, false),
    example: '{{merge (dict "a" 1) (dict "a" 2 "b" 3)}}',
  }),
  define(
    'mergeOverwrite dict source…',
    'A new dict: the first, overwritten by the others, the last one last.',
    {
      cost: FEW,
      parameters: ['map[string]any', 'map[string]any'],
      variadic: true,
      aliases: withMust('mergeOverwrite'),
      call: (dict: Dict, ...sources: Dict[]) => merged(dict, sources, true),
      example: '{{mergeOverwrite (dict "a" 1) (dict "a" 2 "b" 3)}}',
    },
  ),
  define('dig key… fallback dict', 'The value at a path of keys, or the fallback if the path ends early.', {
    cost: GLANCE,
    parameters: anything(1),
    variadic: true,
    call: dig,
    example: '{{dict "a" (dict "b" 1) | dig "a" "b" 0}}',
  }),
  define('deepCopy value', 'The value itself: nothing here can change a value.', {
    cost: GLANCE,
    parameters: anything(1),
    aliases: withMust('deepCopy'),
    call: (value: Value) => value ?? null,
    example: '{{deepCopy (dict "a" 1)}}',
  }),
]

/** A nil map reads as an empty one. */
function define(signature: string, summary: string, definition: FunctionDefinition): LibraryFunction {
  const { parameters } = definition
  const isDictAt = (i: number) => parameters[Math.min(i, parameters.length - 1)] === 'map[string]any'
  return defineDicts(signature, summary, {
    ...definition,
    call: (...values: Value[]) =>
      Reflect.apply(
        definition.call,
        undefined,
        values.map((value, i) => (value === null && isDictAt(i) ? {} : value)),
      ),
  })
}

function makeDict(...values: Value[]): Dict {
  const pairs: (readonly [string, Value])[] = []
  const keys = values.filter((_, i) => i % 2 === 0)
  checkElements(keys, MAX_KEYS_ELEMENTS)
  for (let i = 0; i < values.length; i += 2) {
    pairs.push([keyOf(values[i]), i + 1 < values.length ? (values[i + 1] ?? null) : ''])
  }
  return withEntries(pairs)
}

function keyOf(value: Value): string {
  checkElements([value], MAX_KEY_ELEMENTS)
  return castString(value)
}

/** Any key is plain data, `__proto__` too. */
function withEntries(pairs: readonly (readonly [string, Value])[]): Dict {
  return Object.fromEntries(pairs)
}

function entries(dict: Dict): (readonly [string, Value])[] {
  return knownCount(dict) === undefined ? Object.entries(dict) : namesOf(dict).map((key) => [key, dict[key]])
}

function omit(dict: Dict, ...keys: string[]): Dict {
  const omitted = new Set(keys)
  return withEntries(entries(dict).filter(([key]) => !omitted.has(key)))
}

/** mergo.Merge and MergeWithOverwrite on dicts: dicts merge, everything else is kept or replaced whole. */
function merged(dict: Dict, sources: readonly Dict[], overwrite: boolean): Dict {
  const growing = new GrowingDict(dict)
  for (const source of sources) growing.add(source, overwrite, 0)
  return growing.dict
}

/** A dict that others are merged into one by one, in a time that does not grow with what it holds already. */
class GrowingDict {
  readonly #members: Map<string, Value>

  constructor(dict: Dict) {
    this.#members = new Map(entries(dict))
  }

  /** @throws GoError */
  add(source: Dict, overwrite: boolean, depth: number): void {
    if (depth > MAX_DICT_DEPTH) throw new GoError('merge: dicts nested too deeply')
    for (const [key, value] of entries(source)) {
      const inner = isDict(value) ? this.#growing(key) : undefined
      if (isDict(value) && inner !== undefined) inner.add(value, overwrite, depth + 1)
      else if (replaces(this.#members.get(key), value, overwrite)) this.#members.set(key, value)
    }
  }

  get dict(): Dict {
    const members = [...this.#members]
    return withEntries(
      members.map(([key, value]) => [key, value instanceof GrowingDict ? value.dict : value]),
    )
  }

  /** The dict under a key, from now on one that grows; undefined without one, and for an empty one. */
  #growing(key: string): GrowingDict | undefined {
    const existing = this.#members.get(key)
    if (existing instanceof GrowingDict) return existing
    if (!isDict(existing) || isEmpty(existing)) return undefined
    const growing = new GrowingDict(existing)
    this.#members.set(key, growing)
    return growing
  }
}

function replaces(existing: Value, value: Value, overwrite: boolean): boolean {
  if (value === null || value === undefined) return overwrite
  if (!(existing instanceof GrowingDict) && isEmpty(existing)) return true
  // mergo keeps what is there rather than put a dict over it.
  return overwrite && !isDict(value)
}

function isDict(value: Value): value is Dict {
  return typeof value === 'object' && value !== null && !(value instanceof Slice) && kindOf(value) === 'map'
}

function dig(...values: Value[]): Value {
  if (values.length < 3) throw new GoError('dig needs at least three arguments')
  const fallback = values.at(-2)
  const path = values.slice(0, -2).map(assertString)
  const last = path.pop() ?? ''
  let dict = assertDict(values.at(-1))
  for (const key of path) {
    if (!Object.hasOwn(dict, key)) return fallback ?? null
    dict = assertDict(dict[key])
  }
  return Object.hasOwn(dict, last) ? dict[last] : (fallback ?? null)
}

function assertDict(value: Value): Dict {
  if (isDict(value) && typeName(value) === DICT_TYPE) return value
  throw new GoError(`interface conversion: interface {} is ${dynamicType(value)}, not ${DICT_TYPE}`)
}

function assertString(value: Value): string {
  if (typeof value === 'string') return value
  throw new GoError(`interface conversion: interface {} is ${dynamicType(value)}, not string`)
}

const DICT_TYPE = 'map[string]interface {}'

function dynamicType(value: Value): string {
  return value === null || value === undefined ? 'nil' : typeName(value)
}
