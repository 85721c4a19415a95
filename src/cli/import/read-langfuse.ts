import { isJsonObject, type JsonObject, type JsonValue, own, parseJson } from '../../util/json/json.js'
import { isJsonList, listField, objectField, textField } from '../../util/json/json-fields.js'
import { type Imported, type ImportSource, toImported } from './imported.js'

/** What of a config is ours; the rest are options of the model. */
const MODEL = 'model'

/** Prompts as Langfuse's `/api/public/v2/prompts/{name}` answers them: one, a list, or `{data: […]}`. @throws SyntaxError */
export function readLangfuse({ text }: ImportSource): readonly Imported[] {
  const value = parseJson(text)
  const listed = isJsonObject(value) && isJsonList(own(value, 'data')) ? listField(value, 'data') : value
  const prompts: readonly JsonValue[] = isJsonList(listed) ? listed : [listed]
  return prompts.filter(isJsonObject).map(toPrompt)
}

function toPrompt(prompt: JsonObject): Imported {
  const name = textField(prompt, 'name') ?? 'prompt'
  const body = own(prompt, 'prompt')
  const config = objectField(prompt, 'config')
  const { [MODEL]: model, ...options } = config
  const rows = isJsonList(body) ? body.filter(isJsonObject) : []
  const placeholders = rows.filter((row) => textField(row, 'type') === 'placeholder')
  const messages = rows.flatMap((row) => {
    if (placeholders.includes(row)) return []
    return [{ speaker: textField(row, 'role') ?? '', text: textField(row, 'content') ?? '' }]
  })
  if (typeof body !== 'string' && !isJsonList(body))
    return {
      name,
      document: undefined,
      notes: ['it has no text: lists of prompts name them only, so ask for each'],
    }
  const labels = listField(prompt, 'labels').filter((label) => typeof label === 'string')
  return toImported({
    name,
    body: typeof body === 'string' ? body : messages,
    fields: {
      description: textField(prompt, 'commitMessage'),
      model: typeof model === 'string' ? model : undefined,
      options: Object.keys(options).length === 0 ? undefined : options,
      tags: listField(prompt, 'tags').length === 0 ? undefined : own(prompt, 'tags'),
    },
    notes: [
      ...placeholders.map(
        (row) =>
          `the placeholder ${textField(row, 'name')} is left out: send those messages with the request`,
      ),
      ...dependencies(body),
      ...(labels.length === 0
        ? []
        : [`its labels are not moved: ${labels.join(', ')}; publish it, then promote it`]),
    ],
  })
}

/** `@@@langfusePrompt:name=…@@@` includes another prompt; Langfuse puts its text in before it answers. */
function dependencies(body: JsonValue | undefined): readonly string[] {
  const found = JSON.stringify(body ?? '').match(/@@@langfusePrompt:[^@]*@@@/g) ?? []
  return found.map((tag) => `${tag} stays as text: ask the API for the resolved prompt, or write {{> id}}`)
}
