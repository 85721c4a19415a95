import { type JsonObject, own } from '../util/json.js'
import { madeOnce } from '../util/made-once.js'
import { dependencesOf, unmet } from './requirements.js'

/** Why an extension is not served. */
export interface Aborted {
  readonly message: string
  /** Which of its `contributes.dependences`. */
  readonly index: number
}

/**
 * Extensions that cannot do without something the catalog does not have, by key. One that is not served gives nothing
 * to others either; extensions that need each other are served.
 *
 * @param modules the modules of the catalog's tools
 */
export function abortedExtensions(
  extensions: ReadonlyMap<string, JsonObject>,
  modules: ReadonlySet<string>,
): ReadonlyMap<string, Aborted> {
  const left = new Map(extensions)
  const aborted = new Map<string, Aborted>()
  for (let isSettled = false; !isSettled; ) {
    isSettled = true
    const versions = versionsByName(left.values())
    for (const [key, document] of [...left]) {
      const reason = reasonOf(document, versions, modules)
      if (reason === undefined) continue
      aborted.set(key, reason)
      left.delete(key)
      isSettled = false
    }
  }
  return aborted
}

type Versions = ReadonlyMap<string, readonly (string | undefined)[]>

function reasonOf(
  document: JsonObject,
  versions: Versions,
  modules: ReadonlySet<string>,
): Aborted | undefined {
  for (const [index, dependence] of dependencesOf(document).entries()) {
    if (dependence.failStrategy !== 'abort') continue
    const { name } = dependence
    const message = unmet(dependence, { versions: versions.get(name) ?? [], isModule: modules.has(name) })
    if (message !== undefined) return { message: `not served: ${message}`, index }
  }
  return undefined
}

function versionsByName(documents: Iterable<JsonObject>): Versions {
  const versions = new Map<string, (string | undefined)[]>()
  for (const document of documents) {
    const name = String(own(document, 'name'))
    const version = own(document, 'version')
    madeOnce(versions, name, () => []).push(typeof version === 'string' ? version : undefined)
  }
  return versions
}
