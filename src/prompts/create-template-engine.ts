import type { TemplateEngine } from '../registry/template-engine.js'
import { compile } from '../template/compile.js'
import { functionLibrary } from '../template/library/function-library.js'

/** The template engine as the service uses it: with the function library, and texts up to so many bytes. */
export function createTemplateEngine(maxTemplateBytes: number): TemplateEngine {
  const limits = { maxSourceBytes: maxTemplateBytes }
  return {
    functions: functionLibrary,
    maxTemplateBytes,
    compile: (source, options) => compile(source, { ...options, limits }),
  }
}
