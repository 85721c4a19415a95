import type { FastifyRequest } from 'fastify'
import { visibleSnapshot } from '../../access/visible-snapshot.js'
import { examplesOf } from '../../registry/prompt-examples.js'
import type { Registry } from '../../registry/registry.js'
import type { Snapshot } from '../../registry/snapshot.js'
import { getOrCreate } from '../../util/get-or-create.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import { objectField, textField } from '../../util/json/json-fields.js'
import { accessOf } from '../doors/caller.js'

/** Gives the examples of prompts that a caller may read, as named examples of request bodies; empty for none. */
export type ExamplesFor = (request: FastifyRequest) => JsonObject

/** Of a larger catalog none are shown: every prompt is looked at. */
const MAX_PROMPTS = 1_000
/** More would make the document longer than all operations together. */
const MAX_EXAMPLES = 50
const JSON_BODY = 'application/json'
/** Operations whose body has a prompt's variables and whose path has its id. */
const RENDERS = new Set(['renderPrompt', 'chatWithPrompt'])
const NONE: JsonObject = Object.freeze({})

/** Collects `examples` of prompts, once for each catalog that callers see. */
export function createExamplesFor(registry: Pick<Registry, 'current' | 'servedTo'>): ExamplesFor {
  const known = new WeakMap<Snapshot, JsonObject>()
  return (request) => {
    const access = accessOf(request)
    if (!access.scopes.has('read')) return NONE
    const snapshot = visibleSnapshot(access, registry, registry.current)
    return getOrCreate(known, snapshot, () => examplesIn(snapshot))
  }
}

function examplesIn({ prompts }: Snapshot): JsonObject {
  if (prompts.size > MAX_PROMPTS) return NONE
  const examples: [string, JsonObject][] = []
  for (const id of prompts.ids())
    for (const [name, variables] of examplesOf(prompts.get(id)?.document ?? NONE)) {
      if (examples.length === MAX_EXAMPLES) return Object.fromEntries(examples)
      examples.push([`${id}: ${name}`, { summary: `Of the prompt ${id}`, value: { variables } }])
    }
  return examples.length === 0 ? NONE : Object.fromEntries(examples)
}

/** The document in which operations that render a prompt show these examples, beside their own. */
export function withPromptExamples(document: JsonObject, examples: JsonObject): JsonObject {
  if (Object.keys(examples).length === 0) return document
  const paths = mapFields(objectField(document, 'paths'), (operations) =>
    mapFields(operations, (operation) =>
      RENDERS.has(textField(operation, 'operationId') ?? '') ? shown(operation, examples) : operation,
    ),
  )
  return { ...document, paths }
}

function shown(operation: JsonObject, examples: JsonObject): JsonObject {
  const body = objectField(operation, 'requestBody')
  const content = objectField(body, 'content')
  // A body has one example without a name, or several that have one.
  const { example, ...media } = objectField(content, JSON_BODY)
  const others = example === undefined ? objectField(media, 'examples') : { general: { value: example } }
  const json = { ...media, examples: { ...others, ...examples } }
  return { ...operation, requestBody: { ...body, content: { ...content, [JSON_BODY]: json } } }
}

function mapFields(object: JsonObject, map: (value: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(object).map((name) => {
      const value = own(object, name) ?? null
      return [name, isJsonObject(value) ? map(value) : value]
    }),
  )
}
