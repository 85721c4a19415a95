import type { Registry } from '../registry/registry.js'
import type { FoundPrompt } from './find-prompt.js'
import { promptNotes } from './prompt-notes.js'
import type { RenderRequest } from './render-request.js'

/** What a render needs to know of a prompt. */
export type CompiledFound = Pick<FoundPrompt, 'snapshot' | 'prompt' | 'served'> &
  Pick<RenderRequest, 'definition' | 'compiled' | 'notes'>

/** Compiles a registered prompt. @throws TemplateError */
export function compileFound(registry: Pick<Registry, 'compiled'>, found: FoundPrompt): CompiledFound {
  const { snapshot, prompt, served, scope } = found
  return {
    snapshot,
    prompt,
    served,
    definition: prompt.definition,
    compiled: registry.compiled(snapshot, prompt, scope),
    notes: promptNotes(snapshot, found),
  }
}
