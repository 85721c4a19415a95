/** In this many characters nothing that reads them takes long. */
const PIECE = 4_096

/** A text as pieces that are short enough to be read one at a time; both halves of a character stay together. */
export function cutText(text: string): readonly string[] {
  if (text.length <= PIECE) return [text]
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from + PIECE)
    pieces.push(text.slice(from, to))
    from = to
  }
  return pieces
}

function endOfPiece(text: string, to: number): number {
  const code = text.charCodeAt(to)
  return code >= 0xdc00 && code <= 0xdfff ? to + 1 : to
}
