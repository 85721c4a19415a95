import { compileDefaults } from '../../schema/schema-defaults.js'
import { type JsonObject, own } from '../../util/json/json.js'
import { declaredVariables } from './declared.js'
import { placeOfPath } from './places.js'
import { type PromptRule, withRests } from './rule.js'

/** An optional variable that a template cannot do without. */
export const unguardedVariable: PromptRule = function* (prompt, { usageOf }) {
  const { parameters } = prompt.definition
  const declared = declaredVariables(prompt.definition)
  if (declared === undefined || !saysWhatIsRequired(parameters, own(prompt.document, 'parameters'))) return
  const filled = compileDefaults(parameters)?.({}) ?? {}
  const told = new Set<string>()
  for (const field of usageOf(prompt)) {
    for (const read of withRests(field.usage.reads)) {
      if (read === undefined) {
        yield
        continue
      }
      const [first, name = ''] = read.path
      if ((first !== 'variables' && first !== 'args') || read.conditional || read.guarded) continue
      if (told.has(name) || Object.hasOwn(filled, name) || !isOptional(name, declared, parameters)) continue
      told.add(name)
      yield {
        message: `"${name}" is optional, and the template fails without it`,
        hint: `give it a default, or write {{with .${first}.${name}}}…{{end}}`,
        place: placeOfPath(field, read),
      }
    }
  }
}

/** A schema without `required` may only have forgotten it. */
function saysWhatIsRequired(parameters: JsonObject, written: unknown): boolean {
  return Array.isArray(written) || own(parameters, 'required') !== undefined
}

function isOptional(name: string, declared: JsonObject, parameters: JsonObject): boolean {
  const required = own(parameters, 'required')
  return Object.hasOwn(declared, name) && !(Array.isArray(required) && required.includes(name))
}
