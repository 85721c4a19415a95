import { isJsonObject, type JsonObject, type JsonValue, own, parseJson } from '../../util/json/json.js'
import { isJsonList, listField, textField } from '../../util/json/json-fields.js'
import { yamlOf } from './front-matter.js'
import { type ForeignMessage, type Imported, type ImportSource, toImported } from './imported.js'

/** The prompts of a promptfoo configuration (YAML). Its tests run as they are: `ai-prompt-shell test`. @throws YamlError */
export function readPromptfoo({ text, stem }: ImportSource): readonly Imported[] {
  const config = yamlOf(text)
  const prompts = isJsonObject(config) ? own(config, 'prompts') : undefined
  const rows = isJsonList(prompts) ? prompts : prompts === undefined ? [] : [prompts]
  return rows.map((row, index) => toPrompt(row, rows.length === 1 ? stem : `${stem}_${index + 1}`))
}

function toPrompt(row: JsonValue, fallback: string): Imported {
  const named: JsonObject = isJsonObject(row) ? row : {}
  const name = textField(named, 'label') ?? fallback
  const raw = typeof row === 'string' ? row : (textField(named, 'raw') ?? textField(named, 'id') ?? '')
  if (/^(?:file|https?|exec|python|langfuse|portkey|helicone):\/\//.test(raw))
    return { name, document: undefined, notes: [`${raw} is not read: import that file itself`] }
  return toImported({ name, body: conversationIn(raw) ?? raw })
}

/** Messages as JSON or YAML in one text, as promptfoo takes them. */
function conversationIn(raw: string): readonly ForeignMessage[] | undefined {
  if (!/^\s*(?:\[\s*\{|- role:)/.test(raw)) return undefined
  try {
    const value = raw.trimStart().startsWith('[') ? parseJson(raw) : yamlOf(raw)
    const rows = listField({ value }, 'value').filter(isJsonObject)
    return rows.map((row) => ({
      speaker: textField(row, 'role') ?? '',
      text: textField(row, 'content') ?? '',
    }))
  } catch {
    return undefined
  }
}
