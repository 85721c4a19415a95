import { compileSchema } from '../../schema/json-schema.js'
import { compileDefaults } from '../../schema/schema-defaults.js'
import { nearNames } from '../../util/errors/near-names.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import { memberOf, valueAt } from '../../util/json/json-path.js'
import type { DocumentPath } from '../document-path.js'
import { declaredVariables } from './declared.js'
import type { Advice, PromptRule } from './rule.js'

const FORM = 'write examples: { <name>: { <variable>: <value> } }'

/** An example that is not an object of variables, or that the prompt's parameters reject or do not declare. */
export const unfitExample: PromptRule = function* ({ document, definition }) {
  const examples = own(document, 'examples')
  if (examples === undefined || examples === null) return
  if (!isJsonObject(examples)) {
    yield { message: 'examples is not an object of named sets of variables', hint: FORM, place: at([]) }
    return
  }
  for (const [name, variables] of Object.entries(examples)) {
    if (isJsonObject(variables)) yield* checkExample(name, variables, definition.parameters)
    else yield { message: `example ${name} is not an object of variables`, hint: FORM, place: at([name]) }
    const declared = declaredVariables(definition)
    if (declared !== undefined && isJsonObject(variables))
      yield* undeclaredIn(name, variables, Object.keys(declared))
  }
}

function* checkExample(name: string, variables: JsonObject, parameters: JsonObject): Generator<Advice> {
  const filled = compileDefaults(parameters)?.(variables) ?? variables
  for (const { path, message, params } of compileSchema(parameters)(filled).problems) {
    const isWritten = valueAt(variables, path, memberOf) !== undefined
    yield {
      message: `example ${name}: ${['variables', ...path].join('.')} ${message}`,
      hint: hintFor(params['missingProperty'], Object.keys(variables)),
      place: at([name, ...(isWritten ? path : [])]),
    }
  }
}

function* undeclaredIn(
  example: string,
  variables: JsonObject,
  declared: readonly string[],
): Generator<Advice> {
  for (const name of Object.keys(variables)) {
    if (declared.includes(name)) continue
    const [near] = nearNames(name, declared)
    yield {
      message: `example ${example} sets ${name}, which parameters does not declare`,
      hint: near === undefined ? undefined : `did you mean ${near}?`,
      place: { ...at([example, name]), isName: true },
    }
  }
}

function hintFor(missing: unknown, given: readonly string[]): string | undefined {
  if (typeof missing !== 'string') return undefined
  const [near] = nearNames(missing, given)
  return near === undefined ? undefined : `rename ${JSON.stringify(near)} to ${JSON.stringify(missing)}`
}

function at(path: readonly string[]): { readonly path: DocumentPath } {
  return { path: ['examples', ...path.map((part) => (/^\d+$/.test(part) ? Number(part) : part))] }
}
