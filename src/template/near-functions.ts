import { nearNames } from '../util/errors/near-names.js'

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

/** Functions that an unknown name may mean: known aliases first, then near spellings. */
export function nearFunctions(word: string, names: readonly string[]): readonly string[] {
  const same = FOREIGN_NAMES.get(word)
  // A name that only has the word in it is another one, unless the word is most of it or its module.
  const near = nearNames(word, names).filter(
    (name) => name.length < 2 * word.length || name.startsWith(`${word}_`) || !has(name, word),
  )
  return same === undefined || !names.includes(same) ? near : [same, ...near.filter((name) => name !== same)]
}

function has(name: string, word: string): boolean {
  return name.toLowerCase().includes(word.toLowerCase())
}
