import type { ToolDefinition } from '../registry/snapshot.js'
import { Nothing } from '../template/host.js'
import { schemaOfResult } from '../tools/pick-result.js'
import { type JsonValue, own } from '../util/json/json.js'

/**
 * What a template gets in place of a failed call: the tool's default as it is; without one, something that prints
 * as nothing and has whatever fields, elements and members the template asks for, so that `{{(lookup .name).text}}`
 * fails no render because `lookup` did.
 */
export function toTemplateValue(definition: ToolDefinition, substituted: JsonValue): unknown {
  return substituted === '' ? placeholderFor(definition, '') : substituted
}

/** Prints a text in the place of a result; where the tool gives a text, it is one. */
export function placeholderFor({ returns, result }: ToolDefinition, text: string): unknown {
  const isText = returns !== undefined && own(schemaOfResult(returns, result), 'type') === 'string'
  return isText ? text : new Nothing(text)
}
