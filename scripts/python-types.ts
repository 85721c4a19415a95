import { resolved } from '../src/http/openapi/name-shapes.js'
import { KNOWN_VALUES } from '../src/schema/open-enum.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../src/util/json/json.js'
import { isJsonList, listField, objectField, textField } from '../src/util/json/json-fields.js'

const REFERENCE = '#/components/schemas/'
const PLAIN: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

/**
 * Shapes of openapi.yaml, with all that they refer to, as types of Python: a stub, which type checkers read and nobody
 * runs. An object is a dictionary with these keys; one that may have others is one with any.
 */
export function pythonTypes(document: JsonObject, shapes: readonly string[]): string {
  const types = new Map<string, string>()
  const add = (name: string): string => {
    if (types.has(name)) return name
    types.set(name, '')
    const schema = resolved({ $ref: REFERENCE + name }, document)
    types.set(name, definition(name, schema))
    return name
  }

  function definition(name: string, schema: JsonObject): string {
    if (own(schema, 'type') !== 'object') return `${name} = ${typeOf(schema, name)}\n`
    const required = new Set(listField(schema, 'required'))
    const fields = Object.entries(objectField(schema, 'properties')).map(([field, property]) => {
      const type = typeOf(property, `${name}_${field}`)
      return `    ${JSON.stringify(field)}: ${required.has(field) ? type : `NotRequired[${type}]`},\n`
    })
    return `${name} = TypedDict(${JSON.stringify(name)}, {\n${fields.join('')}})\n`
  }

  /** `name` is what an object without one is called. */
  function typeOf(schema: JsonValue | undefined, name: string): string {
    if (!isJsonObject(schema)) return 'Any'
    const reference = textField(schema, '$ref')
    if (reference !== undefined) return add(reference.slice(REFERENCE.length))
    const choices = [own(schema, 'anyOf'), own(schema, 'oneOf')].find(isJsonList)
    if (choices !== undefined) {
      const several = [...new Set(choices.map((choice, index) => typeOf(choice, `${name}_${index + 1}`)))]
      return several.includes('Any') || several.length === 1
        ? (several[0] ?? 'Any')
        : `Union[${several.join(', ')}]`
    }
    const values = own(schema, 'enum')
    if (isJsonList(values) && own(schema, KNOWN_VALUES) === undefined) {
      return `Literal[${values.map((value) => pythonLiteral(value)).join(', ')}]`
    }
    const type = textField(schema, 'type') ?? ''
    if (type === 'array') return `List[${typeOf(own(schema, 'items'), name)}]`
    if (type !== 'object') return own(PLAIN, type)?.toString() ?? 'Any'
    if (Object.keys(objectField(schema, 'properties')).length === 0) return 'Dict[str, Any]'
    if (!types.has(name)) types.set(name, definition(name, schema))
    return name
  }

  for (const shape of shapes) add(shape)
  const head = [
    '# Written by `npm run openapi` from openapi.yaml: do not edit.',
    'from typing import Any, Dict, List, Literal, Union',
    'from typing_extensions import NotRequired, TypedDict',
  ]
  return `${head.join('\n')}\n\n${[...types.values()].join('\n')}`
}

function pythonLiteral(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}
