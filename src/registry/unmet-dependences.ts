import { getOrCreate } from '../util/get-or-create.js'
import { type JsonObject, own } from '../util/json/json.js'
import { dependencesOf, unmet } from './requirements.js'

/** An extension of any type, as others may depend on it. */
export interface ProvidedExtension {
  readonly name: string
  /** Undefined for one that does not say. */
  readonly version: string | undefined
}

/** A dependence that nothing in the catalog meets. The extension is served all the same. */
export interface UnmetDependence {
  readonly message: string
  /** Which of its `contributes.dependences`. */
  readonly index: number
  /** It says `failStrategy: abort`. */
  readonly isRequired: boolean
}

/** What a document under `extensions:` provides, whether this service serves its type or not. */
export function providedBy(document: JsonObject, id: string): ProvidedExtension {
  const name = own(document, 'name')
  const version = own(document, 'version')
  return {
    name: typeof name === 'string' && name !== '' ? name : id,
    version: typeof version === 'string' && version !== '' ? version : undefined,
  }
}

/**
 * What extensions need and the catalog does not have, by the id of the extension.
 *
 * @param extensions the documents of served extensions, by id
 * @param modules the modules of the catalog's tools
 */
export function unmetDependences(
  extensions: Iterable<readonly [id: string, document: JsonObject]>,
  provided: Iterable<ProvidedExtension>,
  modules: ReadonlySet<string>,
): ReadonlyMap<string, readonly UnmetDependence[]> {
  const versions = new Map<string, (string | undefined)[]>()
  for (const { name, version } of provided) getOrCreate(versions, name, () => []).push(version)
  const found = new Map<string, readonly UnmetDependence[]>()
  for (const [id, document] of extensions) {
    const missing = dependencesOf(document).flatMap((dependence, index) => {
      const { name, failStrategy } = dependence
      const has = { versions: versions.get(name) ?? [], isModule: modules.has(name) }
      const message = unmet(dependence, has)
      return message === undefined ? [] : [{ message, index, isRequired: failStrategy === 'abort' }]
    })
    if (missing.length > 0) found.set(id, missing)
  }
  return found
}
