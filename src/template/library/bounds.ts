import { checkElements, checkRewritten, MAX_ELEMENTS, MAX_REWRITTEN } from '../format/size.js'
import type { Value } from '../value.js'
import type { LibraryFunction, ValueFunction } from './library-function.js'

/** What one call of a function may get, so that it takes about 20 ms at most. */
interface Bounds {
  readonly elements?: number
  readonly characters?: number
}

const ELEMENTS: Bounds = { elements: MAX_ELEMENTS }
const FEW_ELEMENTS: Bounds = { elements: 20_000 }
const CHARACTERS: Bounds = { characters: MAX_REWRITTEN }
const FEW_CHARACTERS: Bounds = { characters: 64 << 10 }

/** The functions that go through all of a value, or rewrite a text character by character. */
const BOUNDS: ReadonlyMap<string, Bounds> = new Map(
  (
    [
      [
        ELEMENTS,
        'toJson mustToJson toPrettyJson mustToPrettyJson toRawJson toString toStrings join quote squote cat ' +
          'sortAlpha without has compact concat chunk deepEqual values',
      ],
      [FEW_ELEMENTS, 'toYaml uniq merge mergeOverwrite omit deepCopy keys'],
      [
        CHARACTERS,
        'regexMatch mustRegexMatch regexFind mustRegexFind regexFindAll mustRegexFindAll regexReplaceAll ' +
          'mustRegexReplaceAll regexReplaceAllLiteral mustRegexReplaceAllLiteral regexSplit mustRegexSplit',
      ],
      [FEW_CHARACTERS, 'snakecase camelcase kebabcase swapcase title untitle initials'],
    ] as const
  ).flatMap(([bounds, names]) => names.split(' ').map((name) => [name, bounds] as const)),
)

/** The function as it is, or checking its arguments first. */
export function bounded(definition: LibraryFunction): LibraryFunction {
  const bounds = BOUNDS.get(definition.name)
  if (bounds === undefined) return definition
  const { elements, characters } = bounds
  const call = definition.call as ValueFunction
  const checked = (...values: Value[]): Value => {
    if (elements !== undefined) checkElements(values, elements)
    if (characters === undefined) return call(...values)
    for (const value of values) if (typeof value === 'string') checkRewritten(value, characters)
    return call(...values)
  }
  return { ...definition, call: checked as LibraryFunction['call'] }
}
