/** Shorter slices of a text are copies in any case. */
const SHORTEST_SLICE = 13

/**
 * A text with characters of its own, in one piece. One that points into another keeps that one, and one that was put together of several
 * keeps those, some fifty bytes each, for as long as it is kept itself; both take longer to print or to become part of a longer one.
 */
export function inOnePiece(text: string): string {
  if (text.length < SHORTEST_SLICE) return text
  return [text.slice(0, 1), text.slice(1)].join('')
}

/**
 * The text itself, no longer as a tree of the parts that it was put together of: V8 writes a tree into one piece when a character of it is
 * read. Takes nothing where the text is in one piece.
 */
export function flattened(text: string): string {
  return Number.isNaN(text.charCodeAt(0)) ? '' : text
}
