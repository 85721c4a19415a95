/**
 * The engine's door to the service: all that other rooms take from the engine. What programs may import is `index.ts`.
 */
export {
  type CompileOptions,
  type DeclaredFunction,
  type FunctionLookup,
  type HostTemplate,
  type RenderOptions,
  type RenderSpending,
  type SharedAllocation,
  type Template,
  TemplateError,
  type TemplateWarning,
  type TextSpan,
  type TracedText,
} from './api.js'
export { checkInSteps, compileForHost, compileInSteps, type ParseLimits } from './compile.js'
export { TOOL } from './cost.js'
export { mayBeFunction } from './dialects/go/lexer.js'
export { LimitError } from './format/go-error.js'
export { printsAs } from './format/prints-as.js'
export type { JsonText } from './json-text.js'
export { functionLibrary } from './library/function-library.js'
export { encodeSegment, linesOf, loadEncoding, segmentsOf, tokenStarts } from './library/tokenizer.js'
export { meetsConstraint } from './library/versions.js'
export { DEFAULT_TEMPLATE_LIMITS } from './limits.js'
export { nearFunctions } from './near-functions.js'
export { Nothing } from './nothing.js'
export { offsetAt, Positions, positionAt } from './position.js'
export { type PrefixPart, prefixParts } from './prefix.js'
export type { Position, VariableReference } from './references.js'
export {
  isBuiltin,
  readTemplateUsage,
  type TemplateUsage,
  type UsedArgument,
  type UsedCall,
} from './usage.js'
export { type Branch, markedBranches, mutantsOf } from './variants.js'
