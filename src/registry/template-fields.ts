import type { ContentPart } from '../conversation/message.js'
import { valueAt } from '../util/json/json-path.js'
import { type DocumentPath, describePath } from './document-path.js'
import type { PromptDefinition } from './snapshot.js'

/** The string fields of OpenAI content parts that are templates. */
const PART_FIELDS: readonly (readonly string[])[] = [
  ['text'],
  ['image_url', 'url'],
  ['input_audio', 'data'],
  ['file', 'file_id'],
  ['file', 'filename'],
  ['file', 'file_data'],
]

export interface TemplateField {
  /** For people: `userPrompt`, `messages[1].content`, `messages[1].content[0].image_url.url`. */
  readonly name: string
  /** From the root of the prompt's document. */
  readonly path: DocumentPath
  readonly text: string
}

/** The name of a template in messages: the prompt's id, and the field unless it is the one text of the prompt. */
export function templateName(promptId: string, field: string): string {
  return field === 'userPrompt' ? promptId : `${promptId}/${field}`
}

/** The templated fields of a content part, those that it has. */
export function partFields(part: ContentPart): readonly (readonly [readonly string[], string])[] {
  return PART_FIELDS.flatMap((path) => {
    const text = valueAt(part, path)
    return typeof text === 'string' ? [[path, text] as const] : []
  })
}

/** Every template text of a prompt. */
export function templateFields({ body }: PromptDefinition): readonly TemplateField[] {
  if (body.kind === 'prompt') return [{ name: 'userPrompt', path: [body.field], text: body.text }]
  return body.messages.flatMap(({ content }, index) => {
    const path = ['messages', index, 'content']
    if (typeof content === 'string') return [fieldAt(path, content)]
    return content.flatMap((part, at) =>
      partFields(part).map(([rest, text]) => fieldAt([...path, at, ...rest], text)),
    )
  })
}

function fieldAt(path: DocumentPath, text: string): TemplateField {
  return { name: describePath(path), path, text }
}
