import type { CompiledMessage } from '../registry/registry.js'
import type { HostTemplate } from '../template/host.js'

/** Whether a message's content is a list of parts, not one text. */
export function isParts(
  content: CompiledMessage['content'],
): content is Exclude<CompiledMessage['content'], HostTemplate> {
  return Array.isArray(content)
}
