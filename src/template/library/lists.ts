import type { CallScope } from '../api.js'
import { COPY, COPY_MANY, COPY_PART, COUNT, COUNT_TEXTS, FEW, GLANCE, MAKE, SEARCH, SORT } from '../cost.js'
import { sortStrings } from '../format/byte-string.js'
import { checkWidth, GoError } from '../format/go-error.js'
import { elementsOf, itemsOf, kindOf } from '../format/kind.js'
import { MAX_CHUNKS } from '../limits.js'
import { Typed, type Value } from '../value.js'
import { castInt, castStrings, isEmpty, stringList } from './cast.js'
import { deepEqual, includesValue, ValueSet } from './deep-equal.js'
import { goKind, NIL_POINTER } from './go-kind.js'
import { anything, definer, type LibraryFunction, withMust } from './library-function.js'

const define = definer('Lists', COPY)
const EMPTY: readonly Value[] = []
/** A list of more gets its memory at once: one that grows is copied again and again. Fewer are read faster if it grows. */
const MANY = 1_000

/** Functions that make lists or read them. */
export const LIST_FUNCTIONS: readonly LibraryFunction[] = [
  define('list value…', 'A list of the values.', {
    cost: MAKE,
    parameters: anything(1),
    variadic: true,
    returns: '[]any',
    aliases: ['tuple'],
    call: (...values: Value[]) => values.map(nilToNull),
    example: '{{list 1 "a" true}}',
  }),
  define('first list', 'The first element, nil for an empty list.', {
    cost: GLANCE,
    parameters: anything(1),
    aliases: withMust('first'),
    call: (list: Value) => items(list, 'Cannot find first on type')[0] ?? null,
    example: '{{first (list 1 2 3)}}',
  }),
  define('last list', 'The last element, nil for an empty list.', {
    cost: GLANCE,
    parameters: anything(1),
    aliases: withMust('last'),
    call: (list: Value) => items(list, 'Cannot find last on type').at(-1) ?? null,
    example: '{{last (list 1 2 3)}}',
  }),
  define('rest list', 'All but the first element.', {
    parameters: anything(1),
    returns: '[]any',
    aliases: withMust('rest'),
    call: (list: Value) => items(list, 'Cannot find rest on type').slice(1),
    example: '{{rest (list 1 2 3)}}',
  }),
  define('initial list', 'All but the last element.', {
    parameters: anything(1),
    returns: '[]any',
    aliases: withMust('initial'),
    call: (list: Value) => items(list, 'Cannot find initial on type').slice(0, -1),
    example: '{{initial (list 1 2 3)}}',
  }),
  define('append list value', 'A new list with the value at its end.', {
    parameters: anything(2),
    returns: '[]any',
    aliases: ['push', ...withMust('append'), ...withMust('push')],
    call: (list: Value, value: Value) => items(list, 'Cannot push on type').concat([nilToNull(value)]),
    example: '{{append (list 1 2) 3}}',
  }),
  define('prepend list value', 'A new list with the value at its start.', {
    parameters: anything(2),
    returns: '[]any',
    aliases: withMust('prepend'),
    call: (list: Value, value: Value) => [nilToNull(value)].concat(items(list, 'Cannot prepend on type')),
    example: '{{prepend (list 1 2) 0}}',
  }),
  define('concat list…', 'The elements of all lists in one.', {
    cost: COPY,
    parameters: anything(1),
    variadic: true,
    call: (...lists: Value[]) =>
      EMPTY.concat(...lists.map((list) => items(list, 'Cannot concat type', ' as list'))),
    example: '{{concat (list 1) (list 2 3)}}',
  }),
  define('reverse list', 'The elements in the opposite order.', {
    parameters: anything(1),
    returns: '[]any',
    aliases: withMust('reverse'),
    call: (list: Value) => [...items(list, 'Cannot find reverse on type')].reverse(),
    example: '{{reverse (list 1 2 3)}}',
  }),
  define('uniq list', 'Each value once, in the order of its first place.', {
    cost: FEW,
    parameters: anything(1),
    returns: '[]any',
    aliases: withMust('uniq'),
    call: (list: Value) => unique(items(list, 'Cannot find uniq on type')),
    example: '{{uniq (list 1 2 1)}}',
  }),
  define('without list value…', 'The elements that equal none of the values.', {
    cost: SEARCH,
    parameters: anything(2),
    variadic: true,
    returns: '[]any',
    aliases: withMust('without'),
    call: (list: Value, ...omitted: Value[]) => without(items(list, 'Cannot find without on type'), omitted),
    example: '{{without (list 1 2 3) 2}}',
  }),
  define('has value list', 'True if the list has the value.', {
    cost: SEARCH,
    parameters: anything(2),
    returns: 'bool',
    aliases: withMust('has'),
    call: (value: Value, list: Value) =>
      list !== null && list !== undefined && includesValue(items(list, 'Cannot find has on type'), value),
    example: '{{has 2 (list 1 2 3)}}',
  }),
  define('compact list', 'The elements that are not empty.', {
    cost: COPY_MANY,
    parameters: anything(1),
    returns: '[]any',
    aliases: withMust('compact'),
    call: (list: Value) => items(list, 'Cannot compact on type').filter((item) => !isEmpty(item)),
    example: '{{compact (list 1 "" "a" 0)}}',
  }),
  define(
    'mustSlice list start end',
    'The elements from start to end, both counted from 0, the end left out.',
    {
      cost: COPY_PART,
      parameters: anything(2),
      variadic: true,
      call: sliceOf,
      example: '{{mustSlice (list 1 2 3 4) 1 3}}',
    },
  ),
  define('chunk size list', 'Lists of at most `size` elements each.', {
    cost: COPY_MANY,
    parameters: ['int', 'any'],
    aliases: withMust('chunk'),
    call: (size: number | bigint, list: Value) => chunked(Number(size), items(list, 'Cannot chunk type')),
    example: '{{chunk 2 (list 1 2 3)}}',
  }),
  define('sortAlpha list', 'The elements as strings, sorted by their bytes.', {
    cost: SORT,
    parameters: anything(1),
    returns: '[]string',
    call: (list: Value) => stringList(sortStrings([...castStrings(list)])),
    example: '{{sortAlpha (list "b" "a" 1)}}',
  }),
  define('until count', 'The integers from 0 up to, not including, the count.', {
    cost: COUNT,
    parameters: ['int'],
    scoped: true,
    call: (scope: CallScope, count: number | bigint) =>
      integers(scope, 0, Number(count), Number(count) < 0 ? -1 : 1),
    example: '{{range until 3}}{{.}};{{end}}',
  }),
  define('untilStep start stop step', 'The integers from start up to, not including, stop.', {
    cost: COUNT,
    parameters: ['int', 'int', 'int'],
    scoped: true,
    call: (scope: CallScope, start: number | bigint, stop: number | bigint, step: number | bigint) =>
      integers(scope, Number(start), Number(stop), Number(step)),
    example: '{{untilStep 3 10 2}}',
  }),
  define(
    'seq number…',
    'Integers as text: `seq end`, `seq start end` or `seq start step end`, ends included.',
    {
      cost: COUNT_TEXTS,
      parameters: ['int'],
      variadic: true,
      returns: 'string',
      scoped: true,
      call: (scope: CallScope, ...numbers: (number | bigint)[]) => sequence(scope, numbers.map(Number)),
      example: '{{seq 0 2 10}}',
    },
  ),
]

/** The integers from start to stop; none if the step leads away. */
function integers(scope: CallScope, start: number, stop: number, step: number): Typed {
  const isForward = stop >= start
  if (isForward ? step <= 0 : step >= 0) return new Typed('[]int', [])
  const count = Math.ceil((stop - start) / step)
  checkWidth(count, scope.maxWidth)
  const list = count > MANY ? new Array<number>(count) : []
  for (let i = 0; i < count; i++) list[i] = start + i * step
  return new Typed('[]int', list)
}

function sequence(scope: CallScope, numbers: readonly number[]): string {
  const [first = 0, second = 0, third = 0] = numbers
  switch (numbers.length) {
    case 1:
      return sequenceText(scope, 1, first, first < 1 ? -1 : 1)
    case 2:
      return sequenceText(scope, first, second, second < first ? -1 : 1)
    case 3:
      return third < first && second > 0 ? '' : sequenceText(scope, first, third, second)
    default:
      return ''
  }
}

/** The end is included, by going one further in the direction of the end. */
function sequenceText(scope: CallScope, start: number, end: number, step: number): string {
  const list = integers(scope, start, end + (end < start ? -1 : 1), step)
  return itemsOf(list).join(' ')
}

/** @throws GoError with Go's words if the value is not a list */
function items(list: Value, message: string, suffix = ''): readonly Value[] {
  if (list === null || list === undefined) throw new GoError(NIL_POINTER)
  if (kindOf(list) !== 'slice') throw new GoError(`${message} ${goKind(list)}${suffix}`)
  return elementsOf(list)
}

/** A few numbers are sooner compared than looked up. */
const FEW_NUMBERS = 4

function without(list: readonly Value[], omitted: readonly Value[]): readonly Value[] {
  if (omitted.length <= FEW_NUMBERS && omitted.every((value) => typeof value === 'number')) {
    return list.filter((item) => !omitted.some((value) => deepEqual(item, value)))
  }
  const gone = new ValueSet(omitted)
  return list.filter((item) => !gone.has(item))
}

function unique(list: readonly Value[]): readonly Value[] {
  const seen = new ValueSet()
  return list.filter((item) => seen.add(item))
}

function sliceOf(list: Value, ...indexes: Value[]): Value {
  const all = items(list, 'list should be type of slice or array but')
  if (all.length === 0) return null
  const start = castInt(indexes[0])
  const end = indexes.length < 2 ? all.length : castInt(indexes[1])
  if (start < 0 || end < start || end > all.length) {
    throw new GoError('reflect.Value.Slice: slice index out of bounds')
  }
  const kept = all.slice(start, end)
  return list instanceof Typed ? new Typed(list.type, kept) : kept
}

/** Sprig's own arithmetic, which makes no chunks of a negative size unless it fails. */
function chunked(size: number, list: readonly Value[]): Value {
  const count = Math.floor((list.length - 1) / size) + 1
  const last = list.length % size || size
  if (size === 0 || (count > 0 && last < 0)) throw new GoError('runtime error: makeslice: len out of range')
  checkWidth(count, MAX_CHUNKS)
  const chunks: (readonly Value[])[] = []
  for (let i = 0; i < count; i++) chunks.push(list.slice(i * size, i * size + (i < count - 1 ? size : last)))
  return new Typed('[][]interface {}', chunks)
}

function nilToNull(value: Value): Value {
  return value ?? null
}
