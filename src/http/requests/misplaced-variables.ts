import { templatesOf } from '../../prompts/templates-of.js'
import { OPENAI_PARAMETERS } from '../../schema/openai-parameters.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import type { PromptToRender } from './render-request.js'

/** What models and their servers take: never a variable that somebody put into the wrong place. */
const FOR_MODELS: ReadonlySet<string> = new Set([
  ...OPENAI_PARAMETERS,
  ...'audio function_call functions max_output_tokens metadata modalities prediction'.split(' '),
  ...'prompt_cache_key safety_identifier service_tier store verbosity web_search_options'.split(' '),
  // Of other servers, and ours.
  ...'format keep_alive min_p protocol repetition_penalty run_tools system think thinking top_k'.split(' '),
])

/**
 * Rejects a variable of the prompt that is sent beside `variables`: the model would get it, and the prompt would not.
 *
 * @param parameters what a request says beside its variables, for the model
 * @throws ServiceError `invalid_request`
 */
export function assertVariablesInPlace(
  parameters: JsonObject,
  variables: JsonObject,
  prompt: Pick<PromptToRender, 'definition' | 'compiled'>,
): void {
  for (const name in parameters) {
    if (FOR_MODELS.has(name) || Object.hasOwn(variables, name) || !isVariableOf(prompt, name)) continue
    throw invalidInput(name, `\`${name}\` is a variable of the prompt: it goes into "variables"`)
  }
}

/** Whether the prompt declares it, or its own templates read it. */
function isVariableOf(
  { definition, compiled }: Pick<PromptToRender, 'definition' | 'compiled'>,
  name: string,
): boolean {
  const declared = own(definition.parameters, 'properties')
  if (isJsonObject(declared) && Object.hasOwn(declared, name)) return true
  return templatesOf(compiled).some(({ references }) =>
    references.variables.some(({ path: [root, first] }) => first === name && REQUEST.has(root)),
  )
}

const REQUEST: ReadonlySet<string | undefined> = new Set(['variables', 'args'])
