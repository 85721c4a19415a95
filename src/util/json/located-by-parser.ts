import { placeOf } from '../text/place-of.js'

/** What is wrong with a text, and where: from 1, columns in UTF-16 code units. */
export interface Located {
  /** With line and column. */
  readonly message: string
  readonly line: number
  readonly column: number
}

/**
 * Where JSON text is wrong, from the native parser's message: it has an offset, or says that the text ends too early.
 * Undefined if it has neither. For texts that are too long to be read a second time by a slower reader.
 */
export function locatedByParser(text: string, { message }: Error): Located | undefined {
  const [whole, digits] = /(?: in JSON)? at position (\d+).*$/s.exec(message) ?? []
  const isEnd = digits === undefined && /end of JSON|Unterminated/.test(message)
  if (digits === undefined && !isEnd) return undefined
  const offset = isEnd ? text.length : Number(digits)
  const { line, column } = placeOf(text, offset)
  const problem = whole === undefined ? message : message.replace(whole, '')
  return { message: `${problem} at line ${line}, column ${column}`, line, column }
}
