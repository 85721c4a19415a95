import { requestVariables } from '../../prompts/request-variables.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import { textField } from '../../util/json/json-fields.js'

/** Models with this beginning are registered prompts. */
export const PROMPT_MODEL = 'prompt:'

/** A registered prompt that an OpenAI request asks for. */
export interface PromptReference {
  readonly id: string
  readonly version: string | undefined
  readonly variables: JsonObject
}

/** The registered prompt a body asks for, by `prompt` or by its model's name. @throws ServiceError `invalid_request` */
export function promptOf(body: JsonObject): PromptReference | undefined {
  const prompt = own(body, 'prompt')
  const beside = () => requestVariables(body)
  if (isJsonObject(prompt)) {
    const variables = own(prompt, 'variables')
    return {
      id: textField(prompt, 'id') ?? '',
      version: textField(prompt, 'version'),
      variables: isJsonObject(variables) ? plainVariables(variables) : beside(),
    }
  }
  const model = own(body, 'model')
  if (typeof model !== 'string' || !model.startsWith(PROMPT_MODEL)) return undefined
  return { id: model.slice(PROMPT_MODEL.length), version: undefined, variables: beside() }
}

/** OpenAI's prompt variables may be input parts; of a text part its text is meant. */
function plainVariables(variables: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      const isText = isJsonObject(value) && own(value, 'type') === 'input_text'
      return [name, isText ? (own(value, 'text') ?? '') : value]
    }),
  )
}

/** Parameters for the model. A name that refers to the prompt is not a model's name. */
export function withoutPromptModel(parameters: JsonObject): JsonObject {
  const { model, ...others } = parameters
  const isPrompt = typeof model === 'string' && model.startsWith(PROMPT_MODEL)
  return isPrompt || model === undefined ? others : parameters
}
