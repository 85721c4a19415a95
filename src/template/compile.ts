import type { Sliced } from '../util/slices/sliced.js'
import type { CompileOptions, FunctionLookup, HostTemplate, TemplateLimits } from './api.js'
import { BUILTINS } from './builtins.js'
import { PARSERS, parsed, parsedInSteps } from './dialects/dialects.js'
import type { Parsing } from './dialects/parsing.js'
import { byteLength } from './format/byte-string.js'
import { DEFAULT_TEMPLATE_LIMITS, withLimits } from './limits.js'
import { nearFunctions } from './near-functions.js'
import type { Program } from './program.js'
import { toLookup } from './run/function-lookup.js'
import { syntaxLimit } from './syntax-error.js'
import { CompiledTemplate } from './template.js'

const DEFAULT_NAME = 't'
const ESCAPED_NAME = /(?:define|block|template)\s*"[^"]*\\/
const DEFAULT_DELIMITERS = ['{{', '}}'] as const

/**
 * Compiles the text of a template. Knows exactly Go's builtins unless given more functions.
 *
 * @throws TemplateError with Go's message, position and a frame of the source
 */
export function compileForHost(source: string, options: CompileOptions = {}): HostTemplate {
  const compilation = beginCompile(source, options)
  return finish(compilation, parsed(compilation.parsing))
}

/** Compiles a text in steps: it stops after each stretch of the text. @throws TemplateError */
export function* compileInSteps(source: string, options: CompileOptions = {}): Sliced<HostTemplate> {
  const compilation = beginCompile(source, options)
  return finish(compilation, yield* parsedInSteps(compilation.parsing))
}

/**
 * Parses a text in steps, as before it is compiled, and makes nothing of it. Row "load" of `npm run bench:scale`: to put all
 * limits together and to make a template takes a tenth of the time that a short text takes to be read.
 *
 * @throws TemplateError
 */
export function* checkInSteps(
  source: string,
  options: Omit<CompileOptions, 'limits'>,
  limits: ParseLimits,
): Sliced<void> {
  yield* parsedInSteps(beginParse(source, options, limits).parsing)
}

/** The limits that hold while a text is parsed. */
export type ParseLimits = Pick<TemplateLimits, 'maxSourceBytes' | 'maxActions' | 'maxParseDepth'>

/** A text that is being parsed, with the functions that it may call. */
interface BegunParse {
  readonly functions: FunctionLookup
  readonly parsing: Parsing
}

/** A template that is being compiled. */
interface Compilation extends BegunParse {
  readonly options: CompileOptions
  readonly limits: TemplateLimits
}

function beginCompile(source: string, options: CompileOptions): Compilation {
  const limits = withLimits(DEFAULT_TEMPLATE_LIMITS, options.limits)
  const { functions, parsing } = beginParse(source, options, limits)
  return { options, limits, functions, parsing }
}

function beginParse(source: string, options: CompileOptions, limits: ParseLimits): BegunParse {
  if (typeof source !== 'string') throw new TypeError('a template is a string')
  const name = options.name ?? unusedName(source)
  const delimiters = options.delimiters ?? DEFAULT_DELIMITERS
  checkSize(source, name, limits.maxSourceBytes)
  checkActions(source, name, delimiters[0], limits.maxActions)
  const functions = toLookup(options.functions)
  const parsing = PARSERS[options.dialect ?? 'go'](source, {
    name,
    delimiters,
    hasFunction: (word) => BUILTINS.has(word) || functions.has(word),
    suggestFunctions: (word) => nearFunctions(word, namesOf(functions)),
    variablesIn: options.variablesIn,
    maxParseDepth: limits.maxParseDepth,
    numbers: options.numbers ?? 'adaptive',
  })
  return { functions, parsing }
}

/** Member by member: a spread takes as long as parsing a short text. */
function finish({ options, limits, functions }: Compilation, program: Program): HostTemplate {
  const { partials, whenIncluded } = options
  return new CompiledTemplate({ program, functions, partials, whenIncluded, limits })
}

/** Go's usual name, unless the text says it itself: what a text defines is never taken for the text. */
function unusedName(source: string): string {
  let name = DEFAULT_NAME
  for (let i = 1; source.includes(`"${name}"`) || source.includes(`\`${name}\``); i++)
    name = `${DEFAULT_NAME}${i}`
  // An escape may hide the name. It is looked for first: of a text of 8 KB the expression alone is a tenth of the time.
  return source.includes('\\') && ESCAPED_NAME.test(source) ? `${name}${source.length}` : name
}

function checkSize(source: string, name: string, maxBytes: number): void {
  if (source.length * 3 <= maxBytes || byteLength(source) <= maxBytes) return
  throw syntaxLimit('source', `template longer than ${maxBytes} bytes`, { source, name, line: 1, offset: 0 })
}

/** Counts before anything is parsed: parsing and checking a text take time for each of its actions. */
function checkActions(source: string, name: string, delimiter: string, maxActions: number): void {
  const left = delimiter === '' ? DEFAULT_DELIMITERS[0] : delimiter
  let count = 0
  for (let at = source.indexOf(left); at >= 0; at = source.indexOf(left, at + left.length)) {
    if (++count <= maxActions) continue
    const line = source.slice(0, at).split('\n').length
    throw syntaxLimit('source', `more than ${maxActions} actions`, { source, name, line, offset: at })
  }
}

/** The names that a table lists; a lookup function may not list them. */
function namesOf(lookup: FunctionLookup): readonly string[] {
  return [...BUILTINS.keys(), ...(lookup.keys?.() ?? [])]
}
