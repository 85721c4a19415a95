import { define } from '../util/define.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { clipped } from '../util/text/clipped.js'
import { MAX_VALUE_DEPTH } from './limits.js'
import { PromptError } from './prompt-error.js'

/** A value that templates can print: JSON, with exact big integers. */
export type TemplateValue = JsonValue

/** The variables of one render. Values are copied in, so later changes of the caller's objects have no effect. */
export class TemplateContext {
  readonly #variables: Record<string, TemplateValue> = {}

  /**
   * Variables from a JSON object, nested values and all.
   *
   * @throws PromptError `Render` if the value is not an object, or holds something that is not JSON
   */
  static fromJson(value: unknown): TemplateContext {
    if (!isPlainObject(value)) throw invalid('a context is made from an object', '')
    return TemplateContext.fromMap(value)
  }

  /** Variables from a `Map` or a record of values. @throws PromptError `Render` on a value that is not JSON */
  static fromMap(
    variables: ReadonlyMap<string, unknown> | Readonly<Record<string, unknown>>,
  ): TemplateContext {
    const context = new TemplateContext()
    for (const [key, value] of entriesOf(variables)) context.insert(key, value)
    return context
  }

  /**
   * Sets a variable, replacing an earlier one of the same name.
   *
   * @throws PromptError `Render` on a value that is not JSON, such as a function, `undefined`, NaN or a cycle
   */
  insert(key: string, value: unknown): this {
    define(this.#variables, key, toTemplateValue(value, key, 0))
    return this
  }

  /** The variable of exactly this name, undefined when it is missing. */
  get(key: string): TemplateValue | undefined {
    return own(this.#variables, key)
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#variables, key)
  }

  /** The variables as the object that templates read. Not a copy: treat it as read-only. */
  toJSON(): JsonObject {
    return this.#variables
  }
}

/** Either form of variables as the object that templates read. @throws PromptError `Render` */
export function toVariables(context: TemplateContext | Readonly<Record<string, unknown>>): JsonObject {
  return (context instanceof TemplateContext ? context : TemplateContext.fromJson(context)).toJSON()
}

function toTemplateValue(value: unknown, path: string, depth: number): TemplateValue {
  if (depth > MAX_VALUE_DEPTH) throw invalid(`is a cycle, or nested deeper than ${MAX_VALUE_DEPTH}`, path)
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw invalid(`is ${value}, which JSON does not have`, path)
      return value
    case 'object':
      return value === null ? null : toContainer(value, path, depth)
    default:
      throw invalid(`is of type ${typeof value}, which JSON does not have`, path)
  }
}

function toContainer(value: object, path: string, depth: number): TemplateValue {
  if (Array.isArray(value))
    return Array.from(value, (item, index) => toTemplateValue(item, `${path}.${index}`, depth + 1))
  if (value instanceof TemplateContext) return value.toJSON()
  if (!(value instanceof Map) && !isPlainObject(value))
    throw invalid('is an instance of a class, not JSON', path)
  const copy: Record<string, TemplateValue> = {}
  for (const [key, item] of entriesOf(value)) {
    define(copy, key, toTemplateValue(item, `${path}.${key}`, depth + 1))
  }
  return copy
}

function entriesOf(
  value: ReadonlyMap<string, unknown> | Readonly<Record<string, unknown>>,
): Iterable<[string, unknown]> {
  return value instanceof Map ? value.entries() : Object.entries(value)
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/** The path of a cycle is as long as the limit is deep. */
const MAX_SHOWN_PATH = 200

function invalid(reason: string, path: string): PromptError {
  const text = path === '' ? reason : `variable "${clipped(path, MAX_SHOWN_PATH)}" ${reason}`
  return new PromptError('Render', text, { subject: path, param: path })
}
