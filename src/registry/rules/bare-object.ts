import { schemaAt } from '../../schema/schema-at.js'
import { isJsonObject, type JsonValue, own } from '../../util/json/json.js'
import { valueAt } from '../../util/json/json-path.js'
import { REQUEST_ENTRIES } from './declared.js'
import { placeOfPath, writtenPath } from './places.js'
import { type PromptRule, withRests } from './rule.js'

/** An object or a list that is printed as it is: Go writes `map[a:1]` and `[a b]`. */
export const bareObject: PromptRule = function* (prompt, { snapshot, usageOf }) {
  const { engine, parameters } = prompt.definition
  if (engine !== 'go') return
  const reported = new Set<string>()
  for (const field of usageOf(prompt)) {
    for (const print of withRests(field.usage.prints)) {
      if (print === undefined) {
        yield
        continue
      }
      const { path, offset } = print
      const [first = '', ...rest] = path
      const type = REQUEST_ENTRIES.has(first)
        ? declaredType(own(schemaAt(parameters, rest) ?? {}, 'type'))
        : typeOf(valueAt(snapshot.context, path))
      const written = writtenPath(path)
      if (type === undefined || reported.has(written)) continue
      reported.add(written)
      yield {
        message: `${written} is ${NAMES[type]}, and prints as ${SHOWN[type]}`,
        hint: `write {{toYaml ${written}}} or {{toPrettyJson ${written}}}`,
        place: placeOfPath(field, offset),
      }
    }
  }
}

type Container = 'object' | 'array'

const NAMES: Readonly<Record<Container, string>> = { object: 'an object', array: 'a list' }
const SHOWN: Readonly<Record<Container, string>> = { object: 'map[a:1 b:2]', array: '[a b]' }

function declaredType(type: JsonValue | undefined): Container | undefined {
  return type === 'object' || type === 'array' ? type : undefined
}

function typeOf(value: JsonValue | undefined): Container | undefined {
  if (Array.isArray(value)) return 'array'
  return isJsonObject(value) ? 'object' : undefined
}
