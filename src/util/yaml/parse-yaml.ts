import type { CST, Document, DocumentOptions, ParseOptions, SchemaOptions } from 'yaml'
import { MAX_YAML_LEVELS } from '../limits.js'
import type { Sliced } from '../slices/sliced.js'
import { yaml } from './yaml.js'

/** Words, marks and spaces between which others may have a turn: a fraction of a millisecond. */
const PIECE = 512

/** YAML is nested so deeply that nobody reads it. */
export class YamlTooDeep extends Error {
  override readonly name = 'YamlTooDeep'

  constructor() {
    super('nested too deeply')
  }
}

/** YAML has more words and marks than anybody reads: names of one mapping are each compared with all others. */
export class YamlTooLong extends Error {
  override readonly name = 'YamlTooLong'

  constructor(most: number) {
    super(`more than ${most} words and marks`)
  }
}

/** Options of the package's parser, and a bound of ours. */
export type YamlOptions = ParseOptions &
  DocumentOptions &
  SchemaOptions & {
    /** Words and marks, spaces and line breaks among them; by default any number. */
    readonly maxTokens?: number | undefined
  }

/**
 * Parses one YAML document as the package's `parseDocument` does, and is the only one that does: within bounds, in pieces.
 * Only what its syntax tree means is worked out in one piece.
 *
 * @throws YamlTooDeep, YamlTooLong
 */
export function* parseYaml(text: string, options: YamlOptions = {}): Sliced<Document.Parsed> {
  const { Composer, YAMLParseError } = yaml()
  const tokens = yield* tokensOf(text, options)
  const [document, second] = new Composer(options).compose(tokens, true, text.length)
  if (document === undefined) throw new Error('no document')
  if (second !== undefined) {
    const [start, end] = second.range
    document.errors.push(new YAMLParseError([start, end], 'MULTIPLE_DOCS', MULTIPLE))
  }
  return document
}

const MULTIPLE = 'Source contains multiple documents; please use YAML.parseAllDocuments()'

function* tokensOf(
  text: string,
  { lineCounter, maxTokens = Number.POSITIVE_INFINITY }: YamlOptions,
): Sliced<readonly CST.Token[]> {
  const { Lexer, Parser } = yaml()
  const parser = new Parser(lineCounter?.addNewLine)
  lineCounter?.addNewLine(0)
  const tokens: CST.Token[] = []
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    if (parser.stack.length > MAX_YAML_LEVELS) throw new YamlTooDeep()
    count += 1
    if (count > maxTokens) throw new YamlTooLong(maxTokens)
    if (count % PIECE === 0) yield
  }
  tokens.push(...parser.end())
  return tokens
}
