import type { Message } from '../../conversation/message.js'
import { ServiceError } from '../../errors.js'
import { errorMessage } from '../../util/errors/error-message.js'
import { didYouMean, nearNames } from '../../util/errors/near-names.js'
import type { JsonObject } from '../../util/json/json.js'
import { objectField, textField } from '../../util/json/json-fields.js'
import type { DescribedTool } from '../protocol.js'
import {
  CHAT_TEMPLATE_IDS,
  isChatTemplateId,
  protocolOfTemplate,
  renderChatTemplate,
} from './chat-template.js'
import { compileJinjaTemplate } from './jinja-template.js'
import { type Modelfile, parseModelfile } from './modelfile.js'
import { compileOllamaTemplate } from './ollama-template.js'
import type { ChatTemplate } from './prompt-template.js'

const FROM_FILE = /^(ollama|jinja):([\s\S]+)$/

/**
 * Opens the template that a name means: one that is built in, `ollama:<file>` for the template of a Modelfile, or
 * `jinja:<file>` for a chat template of Hugging Face, alone or in a `tokenizer_config.json`.
 *
 * @param readFile of a path to its text; what it throws is part of the message
 * @throws ServiceError `invalid_request` for an unknown name, a file that cannot be read, and an invalid template
 */
export function openTemplate(name: string, readFile: (path: string) => string): ChatTemplate {
  const [, kind, path = ''] = FROM_FILE.exec(name) ?? []
  if (kind !== undefined) return fromFile(name, kind, textOf(path, readFile))
  if (!isChatTemplateId(name)) throw unknownTemplate(name)
  return {
    name,
    protocol: protocolOfTemplate(name),
    render: async ({ messages, tools = [], now }) =>
      renderChatTemplate(name, { messages, tools: tools.flatMap(toDescribed), now }),
  }
}

function textOf(path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path)
  } catch (error) {
    throw new ServiceError('invalid_request', `Cannot read ${path}: ${errorMessage(error)}`, { cause: error })
  }
}

function fromFile(name: string, kind: string, text: string): ChatTemplate {
  if (kind === 'jinja') {
    const template = compileJinjaTemplate(text)
    return { name, protocol: undefined, render: async (input) => template.render(input) }
  }
  const modelfile = parseModelfile(text)
  const template = compileOllamaTemplate(modelfile.template)
  return {
    name,
    protocol: undefined,
    render: (input) => template.render({ ...input, messages: withModelfile(modelfile, input.messages) }),
  }
}

/** As Ollama does: the messages of the model first, and its system message unless the conversation begins with one. */
function withModelfile({ system, messages }: Modelfile, said: readonly Message[]): readonly Message[] {
  const all = [...messages, ...said]
  const hasSystem = said[0]?.role === 'system' || system === undefined || system === ''
  return hasSystem ? all : [{ role: 'system', content: system }, ...all]
}

function toDescribed(tool: JsonObject): readonly DescribedTool[] {
  const described = objectField(tool, 'function')
  const name = textField(described, 'name')
  const description = textField(described, 'description')
  if (name === undefined) return []
  return [
    {
      name,
      ...(description !== undefined && { description }),
      parameters: objectField(described, 'parameters'),
    },
  ]
}

function unknownTemplate(name: string): ServiceError {
  const suggestions = didYouMean(nearNames(name, CHAT_TEMPLATE_IDS))
  const known = `name a built-in one, "ollama:<Modelfile>" or "jinja:<file>"`
  return new ServiceError(
    'invalid_request',
    `No chat template has the name ${JSON.stringify(name)}: ${known}${suggestions}`,
  )
}
