import { type LexState, nextToken, type TokenKind } from './template-lexer.js'

/** A stretch of one line. */
export interface Piece {
  readonly kind: TokenKind
  readonly text: string
}

/** The lines of a template in pieces of one kind each. */
export function linesOf(template: string): readonly (readonly Piece[])[] {
  let state: LexState = 'text'
  return template.split('\n').map((line) => {
    const pieces: Piece[] = []
    for (let start = 0; start < line.length; ) {
      const token = nextToken(line, start, state)
      pieces.push({ kind: token.kind, text: line.slice(start, token.end) })
      start = token.end
      state = token.state
    }
    return pieces
  })
}
