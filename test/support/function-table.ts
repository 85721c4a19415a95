import { BUILTINS } from '../../src/template/builtins.js'
import { LIBRARY_FUNCTIONS } from '../../src/template/library/function-library.js'

/** A function that templates can call, builtin or of the library, with the parameters that a caller fills. */
export interface TableFunction {
  readonly name: string
  readonly parameters: readonly string[]
}

/** Every function of the engine. */
export const TABLE_FUNCTIONS: readonly TableFunction[] = [
  ...[...BUILTINS].map(([name, { types, variadic }]) => row(name, types, variadic)),
  ...LIBRARY_FUNCTIONS.map(({ name, parameters, variadic }) => row(name, parameters, variadic === true)),
].filter(({ name, parameters }) => name !== 'call' && name !== 'fail' && parameters.length > 0)

/** What each function is charged; undefined if nothing says so. */
export function costOf(name: string) {
  return LIBRARY_FUNCTIONS.find((each) => each.name === name)?.cost ?? BUILTINS.get(name)?.cost
}

function row(name: string, parameters: readonly string[], variadic: boolean): TableFunction {
  const isShort = variadic && parameters.length < 2
  return { name, parameters: isShort ? [...parameters, ...parameters] : parameters }
}

/** About the longest text that a function reads; longer ones are refused at once. */
const LENGTH = 2_000_000

/** Values that are as large as a request can make them, by what they are. */
export function createLargeValues() {
  const list = Array.from({ length: 100_000 }, (_, i) => i)
  let deep: unknown = [1]
  for (let i = 0; i < 900; i++) deep = [deep]
  let shared: unknown = [1]
  for (let i = 0; i < 60; i++) shared = [shared, shared]
  const texts = {
    oneByte: flat('aB c'.repeat(LENGTH / 4)),
    twoByte: flat('äБ ж'.repeat(LENGTH / 4)),
    spaces: flat(' '.repeat(LENGTH)),
    quotes: flat('"'.repeat(LENGTH)),
    digits: flat('7'.repeat(LENGTH)),
  }
  const structures = {
    list,
    deep,
    shared,
    dict: Object.fromEntries(list.slice(0, 50_000).map((i) => [`key${i}`, i])),
  }
  return { texts, structures }
}

/** A text in one piece, as it comes out of a request. */
function flat(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** Templates that call a function with a large value at one place and small ones elsewhere. */
export function callsWith(
  { name, parameters }: TableFunction,
  { texts, structures }: ReturnType<typeof createLargeValues>,
): readonly { readonly source: string; readonly data: { readonly large: unknown } }[] {
  return parameters.flatMap((parameter, place) =>
    Object.values(valuesFor(parameter, texts, structures)).map((large) => {
      const operands = parameters.map((each, i) => (i === place ? '.large' : smallValue(each)))
      return { source: `${name} ${operands.join(' ')}`, data: { large } }
    }),
  )
}

function valuesFor(parameter: string, texts: object, structures: object): Readonly<Record<string, unknown>> {
  if (parameter === 'string') return { ...texts }
  if (parameter === 'any' || parameter === 'value') return { ...texts, ...structures }
  if (parameter === '[]any') return { ...structures }
  return {}
}

function smallValue(parameter: string): string {
  switch (parameter) {
    case 'string':
      return '"a"'
    case 'float64':
      return '1.5'
    case 'bool':
      return 'true'
    case 'map[string]any':
      return '(dict "a" 1)'
    case 'time.Time':
      return 'now'
    default:
      return '1'
  }
}
