import { isJsonObject, type JsonObject } from '../util/json/json.js'
import { listField, objectField, textField } from '../util/json/json-fields.js'
import type { AliasEntry, PromptAlias, PromptEntry } from './snapshot.js'

/** Shared, because most prompts have none. */
const NO_ALIASES: readonly PromptAlias[] = []
const NO_ENTRIES: readonly AliasEntry[] = []

/** The ids that a document lists as those it had elsewhere: `aliases: [{id, versions: {"3": 7}}]`. */
export function aliasesIn(document: JsonObject): readonly PromptAlias[] {
  const listed = listField(document, 'aliases').filter(isJsonObject)
  return listed.length === 0 ? NO_ALIASES : listed.flatMap(aliasIn)
}

/** What a prompt claims by the ids that it had elsewhere. */
export function aliasEntries({ id: of, revision, location, definition }: PromptEntry): readonly AliasEntry[] {
  const { aliases } = definition
  return aliases.length === 0 ? NO_ENTRIES : aliases.map((alias) => ({ ...alias, of, revision, location }))
}

function aliasIn(alias: JsonObject): readonly PromptAlias[] {
  const id = textField(alias, 'id')
  if (id === undefined || id === '') return []
  const versions = Object.entries(objectField(alias, 'versions')).flatMap(([name, number]) =>
    typeof number === 'number' ? [[name, number] as const] : [],
  )
  return [{ id, versions: new Map(versions) }]
}
