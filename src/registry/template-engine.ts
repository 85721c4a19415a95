import type { CompileOptions, FunctionLookup, HostTemplate } from '../template/host.js'
import type { Sliced } from '../util/slices/sliced.js'

/** How a text that is only checked is to be read: its name in messages, and its language. */
export type CheckedText = Required<Pick<CompileOptions, 'name' | 'dialect'>>

/** What the registry needs of the template engine. */
export interface TemplateEngine {
  /** Parses a text as for a render, and makes nothing of it. Any word may be a function. @throws TemplateError, ServiceError */
  check(source: string, options: CheckedText): Sliced<void>
  /** Compiles for a render, in one go: all that is known of the template is worked out. @throws TemplateError, ServiceError */
  compileToRender(source: string, options: CompileOptions): HostTemplate
  /** Compiles for a render in slices, between which others may have a turn. @throws TemplateError, ServiceError */
  compileToRenderInSlices(source: string, options: CompileOptions): Sliced<HostTemplate>
  /** The longest text of a template, in bytes of UTF-8. */
  readonly maxTemplateBytes: number
  /** The functions that every template has beside the builtins; tools come from the snapshot. */
  readonly functions: FunctionLookup
}

/** Placeholder for a tool while a template is compiled: the tool itself is bound for each render. */
export function unboundTool(): never {
  throw new Error('the tool is not bound: give the render its functions')
}
