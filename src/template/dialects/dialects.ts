import type { Sliced } from '../../util/slices/sliced.js'
import type { Dialect } from '../api.js'
import type { Program } from '../program.js'
import { parseGo } from './go/parser.js'
import type { ParserOptions } from './go/token-reader.js'
import { parseHandlebarsProgram } from './handlebars/parse-program.js'

/** Turns a text into a program, which knows the rules of its dialect; stops after each stretch of the text. */
export type Parse = (source: string, options: ParserOptions) => Sliced<Program>

/** The grammar of every dialect. */
export const PARSERS: Readonly<Record<Dialect, Parse>> = {
  go: parseGo,
  handlebars: parseHandlebarsProgram,
}
