import { normalisePrompt } from '../registry/normalise-prompt.js'
import type { PromptDefinition, PromptEntry } from '../registry/snapshot.js'
import type { TemplateField } from '../registry/template-fields.js'
import { isJsonObject, type JsonValue } from '../util/json/json.js'

/** A prompt with other texts in some of its templates. @param revision no other prompt of this id has it */
export function withTexts(
  prompt: PromptEntry,
  texts: ReadonlyMap<TemplateField, string>,
  revision: string,
): PromptEntry {
  const byPath = new Map([...texts].map(([{ path }, text]) => [path.join('\n'), text]))
  const document = replaced(prompt.document, [], byPath)
  return withDefinition(prompt, normalisePrompt(document, prompt.definition.name), revision)
}

/** A prompt with another definition. */
export function withDefinition(
  prompt: PromptEntry,
  definition: PromptDefinition,
  revision: string,
): PromptEntry {
  const { id, location, origin, extension, document } = prompt
  return { id, location, origin, extension, document, definition, revision: `${prompt.revision} ${revision}` }
}

function replaced(value: JsonValue, path: readonly string[], texts: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === 'string') return texts.get(path.join('\n')) ?? value
  if (Array.isArray(value))
    return value.map((each: JsonValue, index) => replaced(each, [...path, String(index)], texts))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, replaced(each, [...path, name], texts)] as const),
  )
}
