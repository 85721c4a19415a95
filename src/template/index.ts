/** The template engine: Go's text/template in JavaScript, usable without the service. */
export type {
  CallScope,
  CompileOptions,
  DeclaredFunction,
  Dialect,
  FunctionLookup,
  FunctionTable,
  MissingKey,
  NamedReference,
  Numbers,
  ParameterType,
  PartialLookup,
  PartialReference,
  Position,
  References,
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
  VariableReference,
} from './api.js'
export { TemplateError } from './api.js'
export { compile } from './compile.js'
export { defineFunctions } from './define-functions.js'
export { functionLibrary } from './library/function-library.js'
export type { LibraryFunction } from './library/library-function.js'
export { DEFAULT_LIMITS } from './limits.js'
