import { offsetAt, TemplateError } from '../template/host.js'
import { errorMessage } from '../util/errors/error-message.js'
import type { Sliced } from '../util/slices/sliced.js'
import { DocumentError } from './fault.js'
import { checkTexts } from './prompt-bounds.js'
import type { PromptDefinition } from './snapshot.js'
import type { TemplateEngine } from './template-engine.js'
import { type TemplateField, templateFields, templateName } from './template-fields.js'

/**
 * Checks the bounds of a prompt's texts and parses every template, one after the other.
 *
 * @throws DocumentError with the place of the first mistake
 */
export function* checkTemplates(
  id: string,
  definition: PromptDefinition,
  engine: TemplateEngine,
): Sliced<void> {
  checkTexts(definition, engine.maxTemplateBytes)
  for (const field of templateFields(definition)) {
    if (!field.text.includes('{{')) continue
    try {
      yield* engine.check(field.text, { name: templateName(id, field.name), dialect: definition.engine })
    } catch (error) {
      throw syntaxProblem(error, field)
    }
  }
}

/** The place is where the author has to write something: the beginning of a block without an end, not the end of the text. */
function syntaxProblem(error: unknown, { path, text }: TemplateField): DocumentError {
  const message = errorMessage(error)
  if (!(error instanceof TemplateError) || error.line === 0)
    return new DocumentError('template_syntax', message, { path })
  const before = text.slice(0, offsetAt(text, error.opened ?? error))
  return new DocumentError('template_syntax', message, { path, before }, error.hint)
}
