import type { Registry } from '../registry/registry.js'
import type { FoundPrompt } from './find-prompt.js'
import { promptNotes } from './prompt-notes.js'
import type { RenderRequest } from './render-request.js'

/** What a render needs to know of a prompt. */
export type CompiledFound = FoundPrompt & Pick<RenderRequest, 'definition' | 'compiled' | 'notes'>

/** Compiles a registered prompt. @throws TemplateError */
export function compileFound(
  registry: Pick<Registry, 'compiled'>,
  { snapshot, prompt }: FoundPrompt,
): CompiledFound {
  return {
    snapshot,
    prompt,
    definition: prompt.definition,
    compiled: registry.compiled(snapshot, prompt),
    notes: promptNotes(snapshot, prompt),
  }
}
