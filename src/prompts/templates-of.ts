import type { CompiledPrompt } from '../registry/registry.js'
import type { HostTemplate } from '../template/host.js'
import { isParts } from './is-parts.js'

/** The templates of a prompt, in order. */
export function templatesOf(compiled: CompiledPrompt): readonly HostTemplate[] {
  if (compiled.kind === 'prompt') return [compiled.template]
  return compiled.messages.flatMap(({ content }) =>
    isParts(content) ? content.flatMap(({ fields }) => fields.map(([, template]) => template)) : [content],
  )
}
