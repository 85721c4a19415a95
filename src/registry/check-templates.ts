import { TemplateError } from '../template/api.js'
import { offsetAt } from '../template/position.js'
import { DocumentError } from './problem.js'
import type { PromptDefinition } from './snapshot.js'
import { type TemplateEngine, unboundTool } from './template-engine.js'
import { type TemplateField, templateFields, templateName } from './template-fields.js'

/** Names that a prompt's templates use and that the catalog has to provide. */
export interface TemplateLinks {
  /** Functions that are neither builtins nor of the library: tools. */
  readonly tools: readonly string[]
  readonly partials: readonly string[]
}

const NO_LINKS: TemplateLinks = { tools: [], partials: [] }

/**
 * Parses every template of a prompt. Tools may come and go, so unknown functions are not errors here.
 *
 * @throws DocumentError with the place of the first mistake
 */
export function checkTemplates(
  id: string,
  definition: PromptDefinition,
  engine: TemplateEngine,
): TemplateLinks {
  const fields = templateFields(definition).filter(({ text }) => text.includes('{{'))
  if (fields.length === 0) return NO_LINKS
  const tools = new Set<string>()
  const partials = new Set<string>()
  const functions = {
    has: (name: string) => {
      if (!engine.functions.has(name)) tools.add(name)
      return true
    },
    get: (name: string) => {
      if (engine.functions.has(name)) return engine.functions.get(name)
      tools.add(name)
      return unboundTool
    },
  }
  for (const field of fields) {
    const { name, text } = field
    try {
      const template = engine.compile(text, {
        name: templateName(id, name),
        dialect: definition.engine,
        functions,
      })
      for (const partial of template.references.partials) partials.add(partial.name)
    } catch (error) {
      throw syntaxProblem(error, field)
    }
  }
  return { tools: [...tools], partials: [...partials] }
}

function syntaxProblem(error: unknown, { path, text }: TemplateField): DocumentError {
  const message = error instanceof Error ? error.message : String(error)
  const place =
    error instanceof TemplateError && error.line > 0
      ? { path, before: text.slice(0, offsetAt(text, error)) }
      : { path }
  return new DocumentError('template_syntax', message, place)
}
