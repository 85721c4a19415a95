import type { FunctionLookup } from '../api.js'
import { CONVERSION_FUNCTIONS } from './conversions.js'
import { DATE_FUNCTIONS } from './dates.js'
import { DEFAULT_FUNCTIONS } from './defaults.js'
import { DICT_FUNCTIONS } from './dicts.js'
import { ENCODING_FUNCTIONS } from './encodings.js'
import { JSON_FUNCTIONS } from './json.js'
import type { LibraryFunction } from './library-function.js'
import { LIST_FUNCTIONS } from './lists.js'
import { MATH_FUNCTIONS } from './math.js'
import { PATH_FUNCTIONS } from './paths.js'
import { PROMPT_FUNCTIONS } from './prompts.js'
import { REGEX_FUNCTIONS } from './regular-expressions.js'
import { STRING_FUNCTIONS } from './strings.js'
import { TYPE_FUNCTIONS } from './types.js'
import { VERSION_FUNCTIONS } from './versions.js'

/** Every function of the library once, in the order of the documentation. */
export const LIBRARY_FUNCTIONS: readonly LibraryFunction[] = [
  ...DEFAULT_FUNCTIONS,
  ...STRING_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...DICT_FUNCTIONS,
  ...MATH_FUNCTIONS,
  ...CONVERSION_FUNCTIONS,
  ...JSON_FUNCTIONS,
  ...REGEX_FUNCTIONS,
  ...DATE_FUNCTIONS,
  ...ENCODING_FUNCTIONS,
  ...VERSION_FUNCTIONS,
  ...TYPE_FUNCTIONS,
  ...PATH_FUNCTIONS,
  ...PROMPT_FUNCTIONS,
]

/**
 * The functions templates may call beside Go's builtins, by name and alias: Sprig's, as far as they are pure, and
 * a few for prompts. Shared by all renders; what needs the clock or a limit gets it per call as its `CallScope`.
 */
export const functionLibrary: ReadonlyMap<string, LibraryFunction> & FunctionLookup = new Map(
  LIBRARY_FUNCTIONS.flatMap((definition) =>
    [definition.name, ...definition.aliases].map((name) => [name, definition] as const),
  ),
)
