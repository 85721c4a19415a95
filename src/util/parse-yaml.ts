import type { CST, Document, DocumentOptions, LineCounter, ParseOptions, SchemaOptions } from 'yaml'
import type { InPieces } from './sort-in-pieces.js'
import { yaml } from './yaml.js'

/** Words, marks and spaces between which others may have a turn: a fraction of a millisecond. */
const PIECE = 512

/** Parses one YAML document as the package's `parseDocument` does; only what its syntax tree means is worked out in one piece. */
export function* parseYaml(
  text: string,
  options: ParseOptions & DocumentOptions & SchemaOptions & { readonly lineCounter?: LineCounter },
): InPieces<Document.Parsed> {
  const { Composer, YAMLParseError } = yaml()
  const tokens = yield* tokensOf(text, options.lineCounter)
  const [document, second] = new Composer(options).compose(tokens, true, text.length)
  if (document === undefined) throw new Error('no document')
  if (second !== undefined) {
    const [start, end] = second.range
    document.errors.push(new YAMLParseError([start, end], 'MULTIPLE_DOCS', MULTIPLE))
  }
  return document
}

const MULTIPLE = 'Source contains multiple documents; please use YAML.parseAllDocuments()'

function* tokensOf(text: string, lineCounter: LineCounter | undefined): InPieces<readonly CST.Token[]> {
  const { Lexer, Parser } = yaml()
  const parser = new Parser(lineCounter?.addNewLine)
  lineCounter?.addNewLine(0)
  const tokens: CST.Token[] = []
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    count += 1
    if (count % PIECE === 0) yield
  }
  tokens.push(...parser.end())
  return tokens
}
