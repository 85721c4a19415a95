// Writes src/client/service-types.ts and clients/python/ai_prompt_shell_types.pyi: the bodies and events that the clients
// send and get, from openapi.yaml. Run by `npm run openapi`.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { resolved } from '../src/http/openapi/name-shapes.js'
import { KNOWN_VALUES } from '../src/schema/open-enum.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../src/util/json/json.js'
import { isJsonList, listField, objectField, textField } from '../src/util/json/json-fields.js'
import { pythonTypes } from './python-types.js'

/** The bodies that have a name in the client, by the operation that takes or gives them. */
const BODIES: readonly (readonly [type: string, operation: string, body: 'request' | 'answer'])[] = [
  ['RenderBody', 'renderPrompt', 'request'],
  ['RenderAnswer', 'renderPrompt', 'answer'],
  ['RenderInlineBody', 'renderInline', 'request'],
  ['ChatBody', 'chatWithPrompt', 'request'],
  ['ChatAnswer', 'chatWithPrompt', 'answer'],
  ['PromptList', 'listPrompts', 'answer'],
]

/** Shapes that the client speaks of by their own name; what they refer to comes with them. */
export const SHAPES = [
  'Approval',
  'ApprovalDecision',
  'ApprovalPage',
  'CatalogEvent',
  'ChatCompletion',
  'ChatCompletionChunk',
  'CreateSessionRequest',
  'CreateTaskRequest',
  'EntryPage',
  'Error',
  'FeedbackAnswer',
  'FeedbackBody',
  'HistoryAnswer',
  'LabelsAnswer',
  'RenderedMessage',
  'Session',
  'SessionPage',
  'StoredMessagePage',
  'Task',
  'TaskEvent',
  'TaskPage',
  'TaskSummary',
  'Turn',
  'TurnEvent',
  'TurnRequest',
  'VersionsAnswer',
  'Warning',
] as const

/** Names that the language has already. */
const OTHER_NAMES = new Map([['Error', 'ErrorBody']])

/** What is sent and answered in fields for other versions of the interface. */
const HIDDEN = /^For chats: ignored|^Alias of/

const REFERENCE = '#/components/schemas/'

/** The module of the client's types: the bodies and events as `openapi.yaml` says them. */
export function clientTypes(document: JsonObject): string {
  const writer = new TypeWriter(document)
  const bodies = BODIES.map(([type, id, body]) => writer.body(type, id, body))
  for (const name of SHAPES) writer.nameOf(name)
  return [
    '// Written by `npm run openapi` from openapi.yaml: do not edit.\n',
    ...writer.shapes(),
    ...bodies,
  ].join('\n')
}

class TypeWriter {
  readonly #document: JsonObject
  readonly #operations: ReadonlyMap<string | undefined, JsonObject>
  readonly #types = new Map<string, string>()

  constructor(document: JsonObject) {
    this.#document = document
    this.#operations = operationsOf(document)
  }

  /** The body of an operation, as a type of this name; a shape with a name keeps it beside that. */
  body(type: string, id: string, body: 'request' | 'answer'): string {
    const operation = this.#operations.get(id)
    if (operation === undefined) throw new Error(`openapi.yaml has no operation ${id}`)
    const schema = schemaOf(body === 'request' ? requestOf(operation) : answerOf(operation))
    const what = body === 'request' ? 'Body' : 'Answer'
    return `/** ${what} of \`${id}\`. */\nexport type ${type} = ${this.#typeOf(schema, '')}\n`
  }

  /** What a shape is called; its type is written at the first use. */
  nameOf(shape: string): string {
    const name = OTHER_NAMES.get(shape) ?? shape
    if (this.#types.has(name)) return name
    const schema = resolved({ $ref: REFERENCE + shape }, this.#document)
    if (Object.keys(schema).length === 0) throw new Error(`openapi.yaml has no shape ${shape}`)
    this.#types.set(name, '')
    const comment = `/** ${textField(schema, 'description') ?? `\`${shape}\` of openapi.yaml.`} */\n`
    this.#types.set(name, `${comment}export type ${name} = ${this.#typeOf(schema, '')}\n`)
    return name
  }

  /** All shapes that were used, by name. */
  shapes(): readonly string[] {
    return [...this.#types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, type]) => type)
  }

  #typeOf(schema: JsonValue | undefined, indent: string): string {
    if (!isJsonObject(schema)) return 'unknown'
    const reference = textField(schema, '$ref')
    if (reference !== undefined) return this.nameOf(reference.slice(REFERENCE.length))
    const alternatives = [own(schema, 'anyOf'), own(schema, 'oneOf')].find(isJsonList)
    if (alternatives !== undefined) return union(alternatives.map((choice) => this.#typeOf(choice, indent)))
    const values = own(schema, 'enum')
    if (isJsonList(values)) return union(values.map(literal))
    const known = own(schema, KNOWN_VALUES)
    // Later releases may have more: the compiler offers these and takes any.
    if (isJsonList(known)) return union([...known.map(literal), '(string & {})'])
    switch (own(schema, 'type')) {
      case 'object':
        return this.#objectType(schema, indent)
      case 'array':
        return `readonly ${grouped(this.#typeOf(own(schema, 'items'), indent))}[]`
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

  #objectType(schema: JsonObject, indent: string): string {
    const required = new Set(listField(schema, 'required'))
    const inner = `${indent}  `
    const fields = Object.entries(objectField(schema, 'properties')).flatMap(([name, property]) => {
      const description = isJsonObject(property) ? textField(property, 'description') : undefined
      if (description !== undefined && HIDDEN.test(description)) return []
      const comment =
        description === undefined ? '' : `${inner}/** ${description.replaceAll('*/', '* /')} */\n`
      const mark = required.has(name) ? '' : '?'
      return [`${comment}${inner}readonly ${name}${mark}: ${this.#typeOf(property, inner)}\n`]
    })
    const open = own(schema, 'additionalProperties') === true
    if (open && fields.length === 0) return 'Readonly<Record<string, unknown>>'
    if (open) fields.push(`${inner}readonly [name: string]: unknown\n`)
    return fields.length === 0 ? 'object' : `{\n${fields.join('')}${indent}}`
  }
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

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

/** A text in our quotes; anything else as JSON has it. */
function literal(value: JsonValue): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

function grouped(type: string): string {
  return / \| |^readonly /.test(type) ? `(${type})` : type
}

export function main(): void {
  const root = join(import.meta.dirname, '..')
  const file = join(root, 'src/client/service-types.ts')
  const document = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8'))
  writeFileSync(file, clientTypes(document))
  writeFileSync(join(root, 'clients/python/ai_prompt_shell_types.pyi'), pythonTypes(document, SHAPES))
  execFileSync('npx', ['biome', 'format', '--write', file], { stdio: 'ignore' })
}
