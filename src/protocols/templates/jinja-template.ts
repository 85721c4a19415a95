import type { Template } from '@huggingface/jinja'
import { type Message, messageText } from '../../conversation/message.js'
import { readToolCalls } from '../../conversation/tool-calls.js'
import { ServiceError } from '../../errors.js'
import { errorMessage } from '../../util/errors/error-message.js'
import { type JsonObject, parseObject } from '../../util/json/json.js'
import { objectField, textField } from '../../util/json/json-fields.js'
import { lazyPackage } from '../../util/packages/lazy-package.js'
import type { PromptInput } from './prompt-template.js'

/** Read with the first template in Jinja: most services have none. */
const jinja = lazyPackage<typeof import('@huggingface/jinja')>('@huggingface/jinja')

/** A chat template in Jinja, as models on Hugging Face carry it. */
export interface JinjaTemplate {
  /** @throws ServiceError `template_error` with the template's own words */
  render(input: PromptInput): string
}

/**
 * Compiles the text of a `chat_template.jinja`, or of a `tokenizer_config.json`, which also says what the tokens at the
 * ends of a text are.
 *
 * @throws ServiceError `invalid_request` for a text that is neither
 */
export function compileJinjaTemplate(text: string): JinjaTemplate {
  const config = text.trimStart().startsWith('{"') || /^\s*\{\s*"/.test(text) ? parseObject(text) : undefined
  const source = config === undefined ? text : textField(config, 'chat_template')
  if (source === undefined) throw new ServiceError('invalid_request', 'The file has no chat_template')
  const tokens = { bos_token: tokenIn(config, 'bos_token'), eos_token: tokenIn(config, 'eos_token') }
  const template = parse(source)
  return {
    render: ({ messages, tools = [], reasoningEffort }) => {
      const context = {
        ...tokens,
        messages: messages.map(toTemplateMessage),
        ...(tools.length > 0 && { tools }),
        ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
        add_generation_prompt: true,
      }
      try {
        return template.render(context)
      } catch (error) {
        throw new ServiceError('template_error', `The chat template failed: ${errorMessage(error)}`, {
          cause: error,
        })
      }
    },
  }
}

function parse(source: string): Template {
  const { Template } = jinja()
  try {
    return new Template(source)
  } catch (error) {
    const message = `The chat template cannot be read: ${errorMessage(error)}`
    throw new ServiceError('invalid_request', message, { cause: error })
  }
}

/** A token is a text, or an object that has it. */
function tokenIn(config: JsonObject | undefined, name: string): string {
  if (config === undefined) return ''
  return textField(config, name) ?? textField(objectField(config, name), 'content') ?? ''
}

/** Arguments of calls as objects: templates go through them. */
function toTemplateMessage(message: Message): JsonObject {
  const calls = readToolCalls(message).map((call) => ({
    ...call,
    function: { ...call.function, arguments: parseObject(call.function.arguments) ?? {} },
  }))
  return { ...message, content: messageText(message), ...(calls.length > 0 && { tool_calls: calls }) }
}
