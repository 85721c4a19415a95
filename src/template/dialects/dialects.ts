import type { Sliced } from '../../util/slices/sliced.js'
import type { Dialect } from '../api.js'
import { PARSED_AT_A_STRETCH } from '../limits.js'
import type { Program } from '../program.js'
import { parseGo } from './go/parser.js'
import type { ParserOptions } from './go/token-reader.js'
import { parseHandlebarsProgram } from './handlebars/parse-program.js'
import type { Parsing } from './parsing.js'

/** Begins to turn a text into a program, which knows the rules of its dialect. */
export type Parse = (source: string, options: ParserOptions) => Parsing

/** The grammar of every dialect. */
export const PARSERS: Readonly<Record<Dialect, Parse>> = {
  go: parseGo,
  handlebars: parseHandlebarsProgram,
}

/** Parses a text in one go. @throws TemplateError */
export function parsed(parsing: Parsing): Program {
  parsing.advance(Number.POSITIVE_INFINITY)
  return parsing.program()
}

/** Parses a text in steps: it stops after each stretch of the text. @throws TemplateError */
export function* parsedInSteps(parsing: Parsing): Sliced<Program> {
  while (parsing.advance(PARSED_AT_A_STRETCH)) yield
  return parsing.program()
}
