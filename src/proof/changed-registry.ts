import { normalisePrompt } from '../registry/normalise-prompt.js'
import type { Registry } from '../registry/registry.js'
import type { PromptDefinition, PromptEntry, SnapshotMap } from '../registry/snapshot.js'
import type { TemplateField } from '../registry/template-fields.js'
import { isJsonObject, type JsonValue } from '../util/json.js'

/** A registry whose catalog has another text or other parameters in one prompt. Others that include it keep the old one. */
export function withPrompt(registry: Registry, entry: PromptEntry): Registry {
  const { current } = registry
  const prompts = replacedIn(current.prompts, entry)
  const snapshot = { ...current, prompts, revision: `${current.revision} ${entry.revision}` }
  return {
    current: snapshot,
    status: registry.status,
    maxTemplateBytes: registry.maxTemplateBytes,
    whenReady: () => registry.whenReady(),
    compiled: (seen, prompt) => registry.compiled(seen, prompt),
    compiledInTurns: (seen, prompt, giveWay) => registry.compiledInTurns(seen, prompt, giveWay),
    forget: (prompt) => registry.forget(prompt),
    readThrough: async () => snapshot,
    subscribe: (listener) => registry.subscribe(listener),
    unread: () => registry.unread(),
    close: async () => {},
  }
}

function replacedIn(prompts: SnapshotMap<PromptEntry>, entry: PromptEntry): SnapshotMap<PromptEntry> {
  return {
    size: prompts.size,
    get: (id) => (id === entry.id ? entry : prompts.get(id)),
    has: (id) => prompts.has(id),
    ids: () => prompts.ids(),
    prepareIds: (slicer) => prompts.prepareIds(slicer),
    *[Symbol.iterator]() {
      for (const [id, prompt] of prompts) yield [id, id === entry.id ? entry : prompt] as const
    },
  }
}

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
