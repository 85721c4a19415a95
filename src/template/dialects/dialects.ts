import type { Dialect } from '../api.js'
import type { Program } from '../program.js'
import { type ParserOptions, parseGo } from './go/parser.js'
import { parseHandlebarsProgram } from './handlebars/parse-program.js'

/** Turns a text into a program, which knows the rules of its dialect. */
export type Parse = (source: string, options: ParserOptions) => Program

/** The grammar of every dialect. */
export const PARSERS: Readonly<Record<Dialect, Parse>> = {
  go: parseGo,
  handlebars: parseHandlebarsProgram,
}
