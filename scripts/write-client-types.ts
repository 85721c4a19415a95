// Writes src/client/service-types.ts: the bodies that the client sends and gets, from openapi.yaml. Run by `npm run openapi`.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { resolved } from '../src/http/openapi/name-shapes.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../src/util/json.js'
import { isJsonList, listField, objectField, textField } from '../src/util/json-fields.js'

/** Which body of which operation becomes which type. */
const TYPES: readonly (readonly [type: string, operation: string, body: 'request' | 'answer'])[] = [
  ['RenderBody', 'renderPrompt', 'request'],
  ['RenderAnswer', 'renderPrompt', 'answer'],
  ['RenderInlineBody', 'renderInline', 'request'],
  ['ChatBody', 'chatWithPrompt', 'request'],
  ['ChatAnswer', 'chatWithPrompt', 'answer'],
  ['PromptList', 'listPrompts', 'answer'],
]

/** A part of several bodies that is a type of its own: by its name there, with an operation whose body has it. */
const PART = { property: 'compose', type: 'Compose', operation: 'renderPrompt' }

/** What is sent and answered in fields for other versions of the interface. */
const HIDDEN = /^For chats: ignored|^Alias of/

/** The module of the client's types: the bodies as `openapi.yaml` says them. */
export function clientTypes(document: JsonObject): string {
  const openApi = withoutReferences(document, document)
  const operations = operationsOf(openApi)
  const bodyOf = (id: string, body: 'request' | 'answer'): JsonObject => {
    const operation = operations.get(id)
    if (operation === undefined) throw new Error(`openapi.yaml has no operation ${id}`)
    return schemaOf(body === 'request' ? requestOf(operation) : answerOf(operation))
  }
  const part = own(objectField(bodyOf(PART.operation, 'request'), 'properties'), PART.property)
  const types = [
    `/** \`${PART.property}\` of bodies. */\nexport type ${PART.type} = ${typeOf(part, '')}\n`,
    ...TYPES.map(([type, id, body]) => {
      const what = body === 'request' ? 'Body' : 'Answer'
      return `/** ${what} of \`${id}\`. */\nexport type ${type} = ${typeOf(bodyOf(id, body), '')}\n`
    }),
  ]
  return `// Written by \`npm run openapi\` from openapi.yaml: do not edit.\n\n${types.join('\n')}`
}

/** The bodies of the document with their shapes in place of references. */
function withoutReferences(value: JsonObject, document: JsonObject): JsonObject {
  const plain = (each: JsonValue): JsonValue => {
    if (Array.isArray(each)) return each.map(plain)
    return isJsonObject(each) ? withoutReferences(each, document) : each
  }
  const { components: _components, ...fields } = resolved(value, document)
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, plain(each)]))
}

function operationsOf(openApi: JsonObject): ReadonlyMap<string | undefined, JsonObject> {
  const paths = Object.values(objectField(openApi, 'paths')).filter(isJsonObject)
  const operations = paths.flatMap((path) => Object.values(path).filter(isJsonObject))
  return new Map(operations.map((operation) => [textField(operation, 'operationId'), operation]))
}

function requestOf(operation: JsonObject): JsonObject {
  return objectField(operation, 'requestBody')
}

function answerOf(operation: JsonObject): JsonObject {
  return objectField(objectField(operation, 'responses'), '200')
}

function schemaOf(body: JsonObject): JsonObject {
  return objectField(objectField(objectField(body, 'content'), 'application/json'), 'schema')
}

/** A schema as a type of TypeScript. */
function typeOf(schema: JsonValue | undefined, indent: string): string {
  if (!isJsonObject(schema)) return 'unknown'
  const alternatives = [own(schema, 'anyOf'), own(schema, 'oneOf')].find(isJsonList)
  if (alternatives !== undefined) return union(alternatives.map((choice) => typeOf(choice, indent)))
  const values = own(schema, 'enum')
  if (isJsonList(values)) return union(values.map((value) => literal(value)))
  switch (own(schema, 'type')) {
    case 'object':
      return objectType(schema, indent)
    case 'array':
      return `readonly ${grouped(typeOf(own(schema, 'items'), indent))}[]`
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return textField(schema, 'type') ?? 'unknown'
    default:
      return 'unknown'
  }
}

function objectType(schema: JsonObject, indent: string): string {
  const required = new Set(listField(schema, 'required'))
  const inner = `${indent}  `
  const fields = Object.entries(objectField(schema, 'properties')).flatMap(([name, property]) => {
    const description = isJsonObject(property) ? textField(property, 'description') : undefined
    if (description !== undefined && HIDDEN.test(description)) return []
    const comment = description === undefined ? '' : `${inner}/** ${description.replaceAll('*/', '* /')} */\n`
    const mark = required.has(name) ? '' : '?'
    const type = name === PART.property ? PART.type : typeOf(property, inner)
    return [`${comment}${inner}readonly ${name}${mark}: ${type}\n`]
  })
  const open = own(schema, 'additionalProperties') === true
  if (open && fields.length === 0) return 'Readonly<Record<string, unknown>>'
  if (open) fields.push(`${inner}readonly [name: string]: unknown\n`)
  return fields.length === 0 ? 'object' : `{\n${fields.join('')}${indent}}`
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

/** A text in our quotes; anything else as JSON has it. */
function literal(value: JsonValue): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

function grouped(type: string): string {
  return type.includes(' | ') ? `(${type})` : type
}

export function main(): void {
  const root = join(import.meta.dirname, '..')
  const file = join(root, 'src/client/service-types.ts')
  writeFileSync(file, clientTypes(parse(readFileSync(join(root, 'openapi.yaml'), 'utf8'))))
  execFileSync('npx', ['biome', 'format', '--write', file], { stdio: 'ignore' })
}
