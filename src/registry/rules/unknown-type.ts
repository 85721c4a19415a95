import { nearNames } from '../../util/errors/near-names.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import { isJsonList } from '../../util/json/json-fields.js'
import { isTypeName, TYPE_NAMES } from '../normalise-parameters.js'
import type { Advice } from './rule.js'

/** A parameter with an unknown type: every value is accepted. */
export function* unknownType({ document }: { readonly document: JsonObject }): Generator<Advice> {
  for (const field of ['parameters', 'returns']) {
    const list = own(document, field)
    for (const [index, entry] of (isJsonList(list) ? list : []).entries()) {
      const type = isJsonObject(entry) ? own(entry, 'type') : undefined
      if (typeof type !== 'string' || isTypeName(type)) continue
      yield {
        message: `${field}[${index}] has the unknown type ${type}: every value is taken`,
        hint: hintFor(type),
        place: { path: [field, index, 'type'] },
      }
    }
  }
}

function hintFor(type: string): string {
  const element = /^(\w+)\[\]$/.exec(type)?.[1]
  if (element !== undefined) return `write type: array, items: { type: ${element} }`
  if (type.toLowerCase() === 'enum') return 'write type: string, enum: [one, other]'
  const [near] = nearNames(type, Object.keys(TYPE_NAMES))
  return near === undefined ? `one of ${Object.keys(TYPE_NAMES).join(', ')}` : `did you mean ${near}?`
}
