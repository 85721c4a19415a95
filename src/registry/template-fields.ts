import type { ContentPart } from '../conversation/message.js'
import type { JsonValue } from '../util/json.js'
import { isJsonObject, own } from '../util/json.js'
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
  readonly text: string
}

/** The name of a template in messages: the prompt's id, and the field unless it is the one text of the prompt. */
export function templateName(promptId: string, field: string): string {
  return field === 'userPrompt' ? promptId : `${promptId}/${field}`
}

/** The templated fields of a content part, those that it has. */
export function partFields(part: ContentPart): readonly (readonly [readonly string[], string])[] {
  return PART_FIELDS.flatMap((path) => {
    const text = path.reduce<JsonValue | undefined>(
      (value, name) => (isJsonObject(value) ? own(value, name) : undefined),
      part,
    )
    return typeof text === 'string' ? [[path, text] as const] : []
  })
}

/** Every template text of a prompt. */
export function templateFields(definition: PromptDefinition): readonly TemplateField[] {
  const { body } = definition
  if (body.kind === 'prompt') return [{ name: 'userPrompt', text: body.text }]
  return body.messages.flatMap(({ content }, index) => {
    const name = `messages[${index}].content`
    if (typeof content === 'string') return [{ name, text: content }]
    return content.flatMap((part, at) =>
      partFields(part).map(([path, text]) => ({ name: `${name}[${at}].${path.join('.')}`, text })),
    )
  })
}
