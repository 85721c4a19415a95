import { type JsonObject, stringifyJson } from '../util/json/json.js'
import { normalisePrompt } from './normalise-prompt.js'
import { revisionOf } from './revision.js'
import type { PromptEntry } from './snapshot.js'

/**
 * A prompt that comes with the package, for every catalog; a document of the catalog with its id goes before it.
 *
 * @param path the parts of its id
 * @param document as an author would write it
 * @throws DocumentError
 */
export function bundledPrompt(path: readonly string[], document: JsonObject): PromptEntry {
  const id = path.join('.')
  return {
    id,
    revision: revisionOf({ kind: 'templates', path }, stringifyJson(document)),
    location: `bundled:${id}`,
    origin: 'bundled',
    extension: undefined,
    document,
    definition: normalisePrompt(document, path.at(-1) ?? ''),
  }
}
