import type { FastifyRequest } from 'fastify'
import type { Message } from '../../conversation/message.js'
import { readMessagesRequest } from '../../llm/anthropic/read-request.js'
import { countTokens } from '../../prompts/count-tokens.js'
import { isJsonObject, type JsonObject, own, stringifyJson } from '../../util/json/json.js'
import { listField, textField } from '../../util/json/json-fields.js'
import { type PrepareDependencies, prepareReference } from '../handlers/prepare-reference.js'
import { promptOf, withoutPromptModel } from '../requests/prompt-reference.js'

/** Tokens that mark where a message begins and ends, as chat formats have it. */
const TOKENS_PER_MESSAGE = 4

/** Counts the tokens of a request, with those of a registered prompt; no model is asked. Images and files count nothing. */
export function countMessageTokens(dependencies: PrepareDependencies) {
  return async (
    request: FastifyRequest<{ Body: JsonObject }>,
  ): Promise<{ readonly input_tokens: number }> => {
    const asked = await withPrompt(dependencies, request)
    const messages = listField(asked, 'messages').filter(isJsonObject)
    const tools = listField(asked, 'tools').map((tool) => stringifyJson(tool))
    const texts = [...messages.flatMap(textsOf), ...tools]
    return { input_tokens: (await countTokens(texts)) + messages.length * TOKENS_PER_MESSAGE }
  }
}

async function withPrompt(
  dependencies: PrepareDependencies,
  request: FastifyRequest<{ Body: JsonObject }>,
): Promise<JsonObject> {
  const { messages, ...parameters } = readMessagesRequest(request.body)
  const reference = promptOf(parameters)
  if (reference === undefined) return { ...parameters, messages }
  const { prompt: _prompt, variables: _variables, args: _args, scenario: _scenario, ...rest } = parameters
  const input = { parameters: withoutPromptModel(rest), messages }
  return (await prepareReference(dependencies, reference, input, request)).prepared.request
}

function textsOf(message: JsonObject | Message): readonly string[] {
  const content = own(message, 'content')
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : []
  const calls = listField(message, 'tool_calls').map((call) => stringifyJson(call))
  return [
    ...(typeof content === 'string' ? [content] : []),
    ...parts.map((part) => textField(part, 'text') ?? ''),
    ...[textField(message, 'reasoning_content') ?? ''],
    ...calls,
  ]
}
