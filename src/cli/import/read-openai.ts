import { isJsonObject, type JsonObject, type JsonValue, own, parseJson } from '../../util/json/json.js'
import { isJsonList, listField, textField } from '../../util/json/json-fields.js'
import { type ForeignMessage, type Imported, type ImportSource, toImported } from './imported.js'

/** Fields of a request that are parameters of the model. */
const OPTIONS = [
  'temperature',
  'top_p',
  'max_output_tokens',
  'max_tokens',
  'reasoning',
  'reasoning_effort',
  'text',
]
const LEFT_OUT = ['tools', 'tool_choice', 'metadata', 'response_format']

/**
 * A reusable prompt of OpenAI, or the request that its playground shows: `{id?, version?, model, instructions?, input or
 * messages}`, with `{{variables}}`. Its `pmpt_…` id becomes an alias, its version that of our first.
 *
 * @throws SyntaxError
 */
export function readOpenai({ text, stem }: ImportSource): readonly Imported[] {
  const value = parseJson(text)
  const prompts: readonly JsonValue[] = isJsonList(value) ? value : [value]
  return prompts.filter(isJsonObject).map((prompt) => toPrompt(prompt, stem))
}

function toPrompt(prompt: JsonObject, stem: string): Imported {
  const instructions = textField(prompt, 'instructions')
  const rows = [...messagesIn(own(prompt, 'messages')), ...messagesIn(own(prompt, 'input'))]
  const system = instructions === undefined ? [] : [{ speaker: 'developer', text: instructions }]
  const id = textField(prompt, 'id')
  const version = textField(prompt, 'version')
  const options = OPTIONS.flatMap((name) => entryOf(prompt, name))
  const alias = { id: id ?? '', ...(version !== undefined && { versions: { [version]: 1 } }) }
  return toImported({
    name: textField(prompt, 'name') ?? stem,
    body: [...system, ...rows],
    fields: {
      model: textField(prompt, 'model'),
      options: options.length === 0 ? undefined : Object.fromEntries(options),
      aliases: id?.startsWith('pmpt_') ? [alias] : undefined,
    },
    notes: LEFT_OUT.flatMap((name) => (own(prompt, name) === undefined ? [] : [`${name} is not carried`])),
  })
}

function messagesIn(value: JsonValue | undefined): readonly ForeignMessage[] {
  if (typeof value === 'string') return [{ speaker: 'user', text: value }]
  if (!isJsonList(value)) return []
  return value.filter(isJsonObject).map((row) => {
    const content = own(row, 'content')
    return {
      speaker: textField(row, 'role') ?? '',
      text: typeof content === 'string' ? content : textsIn(row),
    }
  })
}

function textsIn(row: JsonObject): string {
  return listField(row, 'content')
    .filter(isJsonObject)
    .map((part) => textField(part, 'text') ?? '')
    .join('')
}

function entryOf(object: JsonObject, name: string): readonly (readonly [string, JsonValue])[] {
  const value = own(object, name)
  return value === undefined || value === null ? [] : [[name, value]]
}
