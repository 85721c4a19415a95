import { nearNames } from '../util/near-names.js'

/** What functions are called in other languages and engines. */
const FOREIGN_NAMES: ReadonlyMap<string, string> = new Map([
  ['capitalize', 'title'],
  ['charCount', 'lenRunes'],
  ['count', 'len'],
  ['downcase', 'lower'],
  ['equals', 'eq'],
  ['format', 'printf'],
  ['includes', 'contains'],
  ['length', 'len'],
  ['lowercase', 'lower'],
  ['parseInt', 'int'],
  ['runeCount', 'lenRunes'],
  ['size', 'len'],
  ['sprintf', 'printf'],
  ['stringify', 'toJson'],
  ['strip', 'trim'],
  ['strlen', 'len'],
  ['toInt', 'int'],
  ['toLower', 'lower'],
  ['toLowerCase', 'lower'],
  ['toUpper', 'upper'],
  ['toUpperCase', 'upper'],
  ['today', 'now'],
  ['truncate', 'truncRunes'],
  ['upcase', 'upper'],
  ['uppercase', 'upper'],
])

/** The functions that a word which is none may mean, best first: the same by another name, then those with nearly its name. */
export function nearFunctions(word: string, names: readonly string[]): readonly string[] {
  const same = FOREIGN_NAMES.get(word)
  const near = nearNames(word, names)
  return same === undefined || !names.includes(same) ? near : [same, ...near.filter((name) => name !== same)]
}
