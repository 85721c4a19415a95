import { isJsonObject, type JsonValue, own } from '../../util/json/json.js'
import { VERSION } from '../../util/packages/version.js'
import { dependencesOf, isConstraint, isMet, isVersion } from '../requirements.js'
import type { ExtensionRule } from './rule.js'

const THIS_ENGINE = 'ai-prompt-shell'
const NAMES_OF_THIS: ReadonlySet<JsonValue | undefined> = new Set([undefined, '', THIS_ENGINE])

/** The version of the service that defined the form of the documents: what is written for it is read here. */
const FORMAT_VERSION = '1.0.0'

/** An extension for another version of this service. */
export const engineVersion: ExtensionRule = function* ({ document }) {
  const engines = own(document, 'engines')
  if (!isJsonObject(engines) || !NAMES_OF_THIS.has(own(engines, 'name'))) return
  const version = own(engines, 'version')
  if (typeof version !== 'string' || isMet(version, VERSION) || isMet(version, FORMAT_VERSION)) return
  yield {
    message: `the extension asks for ${THIS_ENGINE} ${version}, and this is ${VERSION}: it is served all the same`,
    place: { path: ['engines', 'version'] },
  }
}

/** An extension that another one would use and that is not there; of one that is required the load says it. */
export const missingDependence: ExtensionRule = function* ({ id }, { snapshot }) {
  for (const { message, index, isRequired } of snapshot.unmetDependences.get(id) ?? []) {
    if (!isRequired) yield { message, place: { path: ['contributes', 'dependences', index] } }
  }
}

/** A text in the place of a version. */
export const invalidVersion: ExtensionRule = function* ({ document }) {
  const version = own(document, 'version')
  if (typeof version === 'string' && version !== '' && !isVersion(version))
    yield {
      message: `${JSON.stringify(version)} is not a valid version`,
      hint: EXAMPLE,
      place: { path: ['version'] },
    }
  for (const [index, { version: constraint }] of dependencesOf(document).entries()) {
    if (constraint === undefined || isConstraint(constraint)) continue
    const path = ['contributes', 'dependences', index, 'version']
    yield { message: `${JSON.stringify(constraint)} asks for no version`, hint: EXAMPLE, place: { path } }
  }
}

const EXAMPLE = 'a version is 1.2.0; ^1.2.0, >=1.2.0 and 1.2 - 1.4 ask for one'
