import type { Access } from '../access/access.js'
import { mayRead } from '../access/may-read.js'
import type { PromptEntry, Snapshot } from '../registry/snapshot.js'
import { textField } from '../util/json/json-fields.js'
import { catalogSection, pageOf } from './page.js'
import { listArguments, type PromptArgument } from './prompt-arguments.js'

/** A prompt as MCP lists it. */
export interface ListedPrompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments: PromptArgument[]
  readonly _meta: Record<string, string>
}

/** One page of `prompts/list`. */
export async function listPrompts(
  { prompts }: Snapshot,
  access: Access,
  cursor: string | undefined,
): Promise<{ prompts: ListedPrompt[]; nextCursor?: string }> {
  const section = catalogSection('prompts', prompts, (prompt: PromptEntry, id) =>
    mayRead(access, 'templates', id) ? toListed(prompt) : undefined,
  )
  const { rows, ...rest } = await pageOf([section], cursor)
  return { prompts: rows, ...rest }
}

/** The line of a list about one prompt: its id is the name MCP knows it by. */
export function toListed({ id, revision, document, definition }: PromptEntry): ListedPrompt {
  const title = textField(document, 'displayName') ?? definition.name
  return {
    name: id,
    ...(title !== '' && title !== id && { title }),
    ...(definition.description !== '' && { description: definition.description }),
    arguments: listArguments(definition.parameters),
    _meta: { 'ai-prompt-shell/revision': revision },
  }
}
