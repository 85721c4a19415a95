import { trimEndWhile } from '../../util/text/trim-end-while.js'
import { ClaimFault } from './assertion.js'

/** A quoted text, in which `""`, `\"` and `\\` mean the character, or a text up to the next comma. */
const FIELD = /[\s,]*(?:"((?:\\["\\]|""|[^"\\]|\\(?!["\\]))*)"\s*(?=,|$)|([^",\s][^,]*))/y

/**
 * The texts of a line with commas between them; commas inside quotation marks belong to the text, empty texts are left out.
 *
 * @throws ClaimFault for quotation marks that do not end
 */
export function separatedByCommas(line: string): readonly string[] {
  const texts: string[] = []
  const field = new RegExp(FIELD)
  const end = trimEndWhile(line, (character) => character === ',' || character.trim() === '').length
  while (field.lastIndex < end) {
    const match = field.exec(line)
    if (match === null) throw new ClaimFault(`${JSON.stringify(line)}: quotation marks do not match`)
    const [, quoted, plain = ''] = match
    texts.push(
      quoted === undefined ? plain.trim() : quoted.replace(/\\(["\\])|""/g, (_, mark) => mark ?? '"'),
    )
  }
  return texts
}
