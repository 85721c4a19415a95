import type { Sliced } from '../util/slices/sliced.js'
import { type Analysis, analyzeInSteps } from './analysis.js'
import type { Dialect } from './api.js'
import { PARSERS, parsedInSteps } from './dialects/dialects.js'
import { mayBeFunction } from './dialects/go/lexer.js'
import { DEFAULT_TEMPLATE_LIMITS } from './limits.js'
import type { Program } from './program.js'

/** A text that was parsed and analyzed. */
export interface AnalyzedText extends Analysis {
  readonly program: Program
}

/**
 * Parses and analyzes a text that is not going to be rendered, so any word may be a function. Gives way between its steps.
 *
 * @throws TemplateError for a text that does not parse
 */
export function* analyzedText(source: string, dialect: Dialect): Sliced<AnalyzedText> {
  const parsing = PARSERS[dialect](source, {
    name: 't',
    delimiters: ['{{', '}}'],
    hasFunction: mayBeFunction,
    suggestFunctions: () => [],
    maxParseDepth: DEFAULT_TEMPLATE_LIMITS.maxParseDepth,
    numbers: 'adaptive',
  })
  const program = yield* parsedInSteps(parsing)
  yield
  const analysis = yield* analyzeInSteps(program)
  yield
  return { program, ...analysis }
}
