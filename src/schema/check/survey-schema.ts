import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { MAX_FOREIGN_DEPTH } from '../../util/limits.js'
import { named } from '../../util/named.js'
import {
  MAX_EXPANDED_PARTS,
  MAX_KEYWORDS,
  MAX_PATTERNS,
  MAX_SCHEMA_CHAIN,
  MAX_SCHEMA_CHARACTERS,
  MAX_SCHEMA_DEPTH,
} from '../limits.js'
import {
  createReferences,
  definitionsOf,
  type InnerSchema,
  innerSchemas,
  type SchemaPath,
  type SchemaReferences,
  schemaPlace,
} from './schema-parts.js'
import { SchemaError } from './schema-problem.js'

/** What nobody may have in a schema, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  $async: 'asynchronous schemas are not supported',
  $dynamicRef: 'dynamic references are not supported; use $ref',
  $recursiveRef: 'recursive references are not supported; use $ref',
}
/** Values of these are data, whatever they look like. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples'])

/**
 * Looks through a schema that somebody else wrote before anything is made of it: refuses what is too large, what is
 * not supported, and references that lead out of it or into a circle.
 *
 * @throws SchemaError naming the place or the bound
 */
export function surveySchema(root: JsonObject): SchemaReferences {
  checkSize(root)
  const anchors = new Map<string, JsonValue>()
  const survey = new Survey(anchors)
  survey.visit({ path: [], schema: root, isInPlace: true }, 0)
  const references = createReferences(root, anchors)
  // What is referred to may be at places where no schema is looked for.
  for (const [reference, path] of survey.references) {
    survey.visit({ path: [...path, '$ref'], schema: references.target(reference, path), isInPlace: true }, 0)
  }
  new Expansion(references).count(root, [])
  return references
}

class Survey {
  /** What is referred to, and from where first. It grows while it is gone through. */
  readonly references = new Map<string, SchemaPath>()
  readonly #anchors: Map<string, JsonValue>
  readonly #visited = new Set<JsonValue>()
  #keywords = 0
  readonly #patterns = new Set<string>()

  constructor(anchors: Map<string, JsonValue>) {
    this.#anchors = anchors
  }

  visit({ path, schema }: InnerSchema, depth: number): void {
    if (depth > MAX_SCHEMA_DEPTH)
      throw new SchemaError(`schemas are nested deeper than ${MAX_SCHEMA_DEPTH} levels`)
    if (!isJsonObject(schema)) {
      this.#count(1)
      return
    }
    if (this.#visited.has(schema)) return
    this.#visited.add(schema)
    const names = Object.keys(schema)
    this.#count(Math.max(1, names.length))
    for (const name of names) checkKeyword(name, named(schema, name), path)
    this.#note(schema, path)
    this.#countPatterns(schema, path)
    for (const inner of innerSchemas(schema, path)) this.visit(inner, depth + 1)
    for (const inner of definitionsOf(schema, path)) this.visit(inner, depth + 1)
  }

  #count(keywords: number): void {
    this.#keywords += keywords
    if (this.#keywords > MAX_KEYWORDS) throw new SchemaError(`a schema has at most ${MAX_KEYWORDS} keywords`)
  }

  /** Before the first of them is compiled, which is dear. */
  #countPatterns(schema: JsonObject, path: SchemaPath): void {
    const pattern = own(schema, 'pattern')
    if (typeof pattern === 'string') this.#patterns.add(pattern)
    const named = own(schema, 'patternProperties')
    for (const source of isJsonObject(named) ? Object.keys(named) : []) this.#patterns.add(source)
    if (this.#patterns.size > MAX_PATTERNS)
      throw new SchemaError(`${schemaPlace([...path, 'pattern'])} is one of more than ${MAX_PATTERNS}`, [
        ...path,
        'pattern',
      ])
  }

  #note(schema: JsonObject, path: SchemaPath): void {
    const reference = own(schema, '$ref')
    if (typeof reference === 'string' && !this.references.has(reference)) this.references.set(reference, path)
    const id = own(schema, '$id')
    const anchor = own(schema, '$anchor')
    if (typeof anchor === 'string') this.#anchors.set(anchor, schema)
    if (typeof id !== 'string' || path.length === 0) return
    if (!id.startsWith('#'))
      throw new SchemaError(`${schemaPlace([...path, '$id'])}: only the whole schema may have an $id`, [
        ...path,
        '$id',
      ])
    this.#anchors.set(id.slice(1), schema)
  }
}

function checkKeyword(name: string, value: JsonValue, path: SchemaPath): void {
  const refusal = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined
  if (refusal !== undefined)
    throw new SchemaError(`${schemaPlace([...path, name])}: ${refusal}`, [...path, name])
  if (!DATA.has(name) && isJsonObject(value) && typeof own(value, '$data') === 'string')
    throw new SchemaError(`${schemaPlace([...path, name, '$data'])}: references to data are not supported`, [
      ...path,
      name,
      '$data',
    ])
}

/** Counts the parts of a schema with its references written out, each as often as it is used. */
class Expansion {
  readonly #references: SchemaReferences
  readonly #sizes = new Map<JsonValue, number>()
  /** Schemas that are being counted, and how far down in the value each was entered. */
  readonly #open = new Map<JsonValue, number>()
  #level = 0

  constructor(references: SchemaReferences) {
    this.#references = references
  }

  count(schema: JsonValue, path: SchemaPath): number {
    if (!isJsonObject(schema)) return 1
    const known = this.#sizes.get(schema)
    if (known !== undefined) return known
    if (this.#open.size >= MAX_SCHEMA_CHAIN)
      throw new SchemaError(`schemas refer to each other through more than ${MAX_SCHEMA_CHAIN} steps`)
    this.#open.set(schema, this.#level)
    let size = 1
    const reference = own(schema, '$ref')
    if (typeof reference === 'string') {
      size += this.#inner(this.#references.target(reference, path), [...path, '$ref'], true)
    }
    for (const inner of innerSchemas(schema, path)) {
      size += this.#inner(inner.schema, inner.path, inner.isInPlace)
    }
    this.#open.delete(schema)
    this.#sizes.set(schema, size)
    if (size > MAX_EXPANDED_PARTS) {
      throw new SchemaError(
        `with its references written out, a schema has at most ${MAX_EXPANDED_PARTS} parts`,
      )
    }
    return size
  }

  #inner(schema: JsonValue, path: SchemaPath, isInPlace: boolean): number {
    const openedAt = this.#open.get(schema)
    if (openedAt !== undefined) {
      if (isInPlace && openedAt === this.#level)
        throw new SchemaError(`${schemaPlace(path)} refers to itself without going into the value`, path)
      return 1
    }
    if (isInPlace) return this.count(schema, path)
    this.#level += 1
    const size = this.count(schema, path)
    this.#level -= 1
    return size
  }
}

function checkSize(root: JsonObject): void {
  let characters = 0
  const measure = (value: JsonValue, depth: number): void => {
    if (depth > MAX_FOREIGN_DEPTH)
      throw new SchemaError(`its JSON is nested deeper than ${MAX_FOREIGN_DEPTH} levels`)
    characters += sizeOf(value)
    if (characters > MAX_SCHEMA_CHARACTERS)
      throw new SchemaError(`a schema has at most ${MAX_SCHEMA_CHARACTERS >> 10} KiB`)
    if (Array.isArray(value)) for (const item of value) measure(item, depth + 1)
    else if (isJsonObject(value)) {
      for (const name of Object.keys(value)) {
        characters += name.length + 3
        measure(named(value, name), depth + 1)
      }
    }
  }
  measure(root, 0)
}

function sizeOf(value: JsonValue): number {
  return typeof value === 'string' ? value.length + 3 : typeof value === 'object' ? 3 : 5
}
