/** The template engine: Go's text/template in JavaScript, usable without the service. */
import type { CompileOptions, Template } from './api.js'
import { compileForHost } from './compile.js'

export type {
  CallScope,
  CompileOptions,
  DeclaredFunction,
  Dialect,
  FunctionLookup,
  FunctionTable,
  MissingKey,
  Numbers,
  ParameterType,
  PartialLookup,
  RenderOptions,
  Template,
  TemplateErrorOptions,
  TemplateFailure,
  TemplateFunction,
  TemplateLimits,
  TemplateWarning,
  TextSpan,
  TracedText,
  TraceOptions,
} from './api.js'
export { TemplateError } from './api.js'
export { defineFunctions } from './define-functions.js'
export { printsAs } from './format/prints-as.js'
export { functionLibrary } from './library/function-library.js'
export type { LibraryFunction } from './library/library-function.js'
export { DEFAULT_TEMPLATE_LIMITS as DEFAULT_LIMITS } from './limits.js'
export type {
  NamedReference,
  PartialReference,
  Position,
  References,
  VariableReference,
} from './references.js'

/**
 * Compiles the text of a template. Knows exactly Go's builtins unless given more functions.
 *
 * @throws TemplateError with Go's message, position and a frame of the source
 */
export const compile: (source: string, options?: CompileOptions) => Template = compileForHost
