/** A place in a text, both from 1; columns in UTF-16 code units. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** Where an offset is, without cutting the text into its lines, which may be very many. */
export function placeOf(text: string, offset: number): TextPlace {
  let line = 1
  let start = 0
  for (let next = text.indexOf('\n'); next !== -1 && next < offset; next = text.indexOf('\n', next + 1)) {
    line += 1
    start = next + 1
  }
  return { line, column: offset - start + 1 }
}
