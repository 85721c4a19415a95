import type { Part, TextParser } from '../../src/protocols/protocol.js'

/** Everything a parser makes of pieces of text, with neighbouring texts joined. */
export function readPieces(parser: TextParser, pieces: readonly string[]): Part[] {
  return joinTexts([...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()])
}

function joinTexts(parts: readonly Part[]): Part[] {
  const joined: Part[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (last !== undefined && 'text' in last && 'text' in part && last.kind === part.kind) {
      joined[joined.length - 1] = { kind: last.kind, text: last.text + part.text }
    } else joined.push(part)
  }
  return joined
}

/** A text cut in two at a place, by UTF-16 code units: through surrogate pairs, too. */
export function cutAt(text: string, at: number): string[] {
  return [text.slice(0, at), text.slice(at)]
}

/** A text as single UTF-16 code units. */
export function units(text: string): string[] {
  return Array.from({ length: text.length }, (_, at) => text.charAt(at))
}
