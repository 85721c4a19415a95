import { describe, expect, it } from 'vitest'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/util/json/json.js'
import { publishedApi } from '../../support/published-api.js'

const document: JsonObject = publishedApi()
const schemas = childOf(childOf(document, 'components'), 'schemas')

/** A value in the document, and where it is. */
type Place = readonly [path: string, value: JsonObject]

const operations: readonly Place[] = Object.entries(childOf(document, 'paths')).flatMap(([path, methods]) =>
  placesIn(`${path} `, methods),
)
/** Bodies of requests and of good answers: each a media type with its schema. */
const bodies: readonly Place[] = operations.flatMap(([place, operation]) => [
  ...placesIn(`${place} request `, childOf(childOf(operation, 'requestBody'), 'content')),
  ...placesIn(`${place} `, childOf(operation, 'responses'))
    .filter(([path]) => / 2\d\d$/.test(path))
    .flatMap(([path, answer]) => placesIn(`${path} `, childOf(answer, 'content'))),
])

function childOf(value: JsonValue | undefined, name: string): JsonObject {
  const child = isJsonObject(value) ? value[name] : undefined
  return isJsonObject(child) ? child : {}
}

function placesIn(prefix: string, value: JsonValue | undefined): readonly Place[] {
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([name, each]) =>
        isJsonObject(each) ? [[prefix + name, each] as const] : [],
      )
    : []
}

/** The names of the shapes that a schema is, or is one of; undefined for one that is written in its place. */
function namesOf(schema: JsonValue | undefined): readonly string[] | undefined {
  if (!isJsonObject(schema)) return undefined
  const { $ref, anyOf } = schema
  if (typeof $ref === 'string') return [$ref.split('/').at(-1) ?? '']
  const names = Array.isArray(anyOf) ? anyOf.map(namesOf) : [undefined]
  return names.includes(undefined) ? undefined : names.flatMap((each) => each ?? [])
}

/** Every field of every object in a schema. */
function* fieldsIn(value: JsonValue, path: string): Generator<readonly [path: string, field: JsonValue]> {
  if (Array.isArray(value))
    for (const [index, each] of value.entries()) yield* fieldsIn(each, `${path}/${index}`)
  if (!isJsonObject(value)) return
  for (const [name, field] of Object.entries(childOf(value, 'properties'))) yield [`${path}.${name}`, field]
  for (const [name, each] of Object.entries(value))
    if (!['example', 'examples', 'default'].includes(name)) yield* fieldsIn(each, `${path}/${name}`)
}

function isDescribed(field: JsonValue): boolean {
  const [name = ''] = namesOf(field) ?? []
  const described = isJsonObject(field) ? field['description'] : undefined
  return typeof (described ?? childOf(schemas, name)['description']) === 'string'
}

/** What distinguishes a shape: neither its words nor the order of its fields. */
function form(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(form)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value)
    .filter(([name, each]) => !(WORDS.has(name) && typeof each !== 'object') && !EXAMPLES.has(name))
    .map(([name, each]): [string, JsonValue] => [name, form(each)])
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const WORDS = new Set(['description', 'title'])
const EXAMPLES = new Set(['examples', 'example'])

describe('openapi.yaml', () => {
  it('describes every operation', () => {
    expect(
      operations.filter(([, { description }]) => description === undefined).map(([path]) => path),
    ).toEqual([])
  })

  it('describes every field of what requests and answers have', () => {
    const fields = [...fieldsIn(childOf(document, 'paths'), ''), ...fieldsIn(schemas, '')]
    expect(fields.length).toBeGreaterThan(500)
    expect(fields.filter(([, field]) => !isDescribed(field)).map(([path]) => path)).toEqual([])
  })

  it('has a name for every body', () => {
    const unnamed = bodies.filter(
      ([path, { schema }]) =>
        !/text\/|openmetrics/.test(path.replace('text/event-stream', '')) && namesOf(schema) === undefined,
    )
    expect(unnamed.map(([path]) => path)).toEqual([])
  })

  it('shows an example of every body in JSON', () => {
    const silent = bodies.filter(
      ([path, { example, examples }]) =>
        path.endsWith('application/json') && example === undefined && examples === undefined,
    )
    expect(silent.map(([path]) => path)).toEqual([])
  })

  it('has one name for each shape', () => {
    const names = new Map<string, string[]>()
    for (const [name, schema] of Object.entries(schemas)) {
      const text = JSON.stringify(form(schema))
      names.set(text, [...(names.get(text) ?? []), name])
    }
    expect([...names.values()].filter((each) => each.length > 1)).toEqual([])
  })

  it('names its components by words, so that a new route renames none', () => {
    const kinds = placesIn('', childOf(document, 'components'))
    const names = kinds.flatMap(([kind, named]) => Object.keys(named).map((name) => `${kind} ${name}`))
    expect(names.length).toBeGreaterThan(200)
    expect(names.filter((name) => /\d$/.test(name))).toEqual([])
  })

  it('names error answers by their status and codes', () => {
    const [render = {}] = operations.flatMap(([, { operationId, responses }]) =>
      operationId === 'renderPrompt' && isJsonObject(responses) ? [responses] : [],
    )
    expect([namesOf(render['404']), namesOf(render['401'])]).toEqual([
      ['NotFoundPromptVersionLabel'],
      ['Unauthorized'],
    ])
  })
})
