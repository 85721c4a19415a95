import type { CST, Document, DocumentOptions, LineCounter, ParseOptions, SchemaOptions } from 'yaml'
import { MAX_YAML_LEVELS } from '../limits.js'
import { runNow, type Sliced } from '../slices/sliced.js'
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

/**
 * For texts that the package parses itself.
 *
 * @param most words and marks, spaces and line breaks among them; by default any number
 * @throws YamlTooDeep, YamlTooLong
 */
export function assertShallow(text: string, most?: number): void {
  runNow(tokensOf(text, undefined, most))
}

/** Parses one YAML document as the package's `parseDocument` does; only what its syntax tree means is worked out in one piece. @throws YamlTooDeep */
export function* parseYaml(
  text: string,
  options: ParseOptions & DocumentOptions & SchemaOptions & { readonly lineCounter?: LineCounter },
): Sliced<Document.Parsed> {
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

function* tokensOf(
  text: string,
  lineCounter: LineCounter | undefined,
  most = Number.POSITIVE_INFINITY,
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
    if (count > most) throw new YamlTooLong(most)
    if (count % PIECE === 0) yield
  }
  tokens.push(...parser.end())
  return tokens
}
