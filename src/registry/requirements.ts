import { meetsConstraint } from '../template/host.js'
import { isJsonObject, type JsonObject, own } from '../util/json/json.js'
import { textField } from '../util/json/json-fields.js'
import { contributedTo } from './contributed-to.js'

/** Another extension that an extension needs. */
export interface RequiredExtension {
  readonly name: string
  /** A constraint such as `^1.0.0`; undefined takes any version. */
  readonly version: string | undefined
  /** `abort`: that it is missing is an error, not a warning. */
  readonly failStrategy: 'abort' | 'ignore'
}

/** What an extension says it needs; malformed entries are refused before. */
export function dependencesOf(document: JsonObject): readonly RequiredExtension[] {
  const list = contributedTo(document, 'dependences').filter(isJsonObject)
  return list.map((entry) => ({
    name: String(own(entry, 'name')),
    // An empty one says nothing.
    version: textField(entry, 'version') || undefined,
    failStrategy: own(entry, 'failStrategy') === 'abort' ? 'abort' : 'ignore',
  }))
}

/** What the catalog has under one name. */
export interface Provided {
  /** Of the extensions; undefined for one that does not say. */
  readonly versions: readonly (string | undefined)[]
  /** Tools of a module have no version: any will do. */
  readonly isModule: boolean
}

/** Why a dependence is not met by what has its name; undefined when it is. */
export function unmet(dependence: RequiredExtension, { versions, isModule }: Provided): string | undefined {
  const { name, version: constraint } = dependence
  if (isModule) return undefined
  if (versions.length === 0)
    return `the extension needs "${name}": the catalog has neither an extension nor a module of tools with this name`
  if (constraint === undefined || versions.some((version) => isMet(constraint, version))) return undefined
  const found = versions.map((version) => version ?? 'no version').join(', ')
  return `the extension needs "${name}" ${constraint}: the catalog has it in ${found}`
}

/** An invalid version or constraint does not count as unmet: it is reported as a problem of its own. */
export function isMet(constraint: string, version: string | undefined): boolean {
  try {
    return version === undefined || meetsConstraint(constraint, version)
  } catch {
    return true
  }
}

/** True for a constraint such as `^1.2.0`, and so for a version. */
export function isConstraint(text: string): boolean {
  return isReadable(text, '1.0.0')
}

/** True for a version such as `1.2.0`. */
export function isVersion(text: string): boolean {
  return isReadable('*', text)
}

function isReadable(constraint: string, version: string): boolean {
  try {
    meetsConstraint(constraint, version)
    return true
  } catch {
    return false
  }
}
