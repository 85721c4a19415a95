import type { ToolDefinition } from '../registry/snapshot.js'
import type { DeclaredFunction } from '../template/api.js'
import { Stringer } from '../template/format/kind.js'
import { type JsonObject, type JsonValue, own } from '../util/json.js'

/** What templates see of Go's types: an empty map and an empty list. */
const TYPES: Readonly<Record<string, readonly [type: string, value: object]>> = {
  object: ['map[string]interface {}', {}],
  array: ['[]interface {}', []],
}

/**
 * Stands for the result of a tool that was not had: prints its text (nothing, for a failed call), is empty, and so
 * are all its fields, so that `{{(lookup .name).text}}` fails no render because `lookup` did.
 */
class ToolSubstitute extends Stringer {
  readonly #text: string

  constructor(text: string, [type, value]: readonly [string, object]) {
    super(type, value)
    this.#text = text
  }

  text(): string {
    return this.#text
  }

  method(): DeclaredFunction {
    return { call: () => this, parameters: [] }
  }
}

/**
 * What a template gets in place of a failed call: the tool's default as it is; without one, something that prints
 * as nothing and has whatever fields the tool promised to return.
 */
export function toTemplateValue(definition: ToolDefinition, substituted: JsonValue): unknown {
  return substituted === '' ? placeholderFor(definition, '') : substituted
}

/** A text that a template may treat like the tool's result. */
export function placeholderFor({ returns, result }: ToolDefinition, text: string): unknown {
  const type = result === undefined ? typeOf(returns) : undefined
  const shape = type === undefined ? undefined : TYPES[type]
  return shape === undefined ? text : new ToolSubstitute(text, shape)
}

function typeOf(returns: JsonObject | undefined): string | undefined {
  const type = returns === undefined ? undefined : own(returns, 'type')
  return typeof type === 'string' && Object.hasOwn(TYPES, type) ? type : undefined
}
