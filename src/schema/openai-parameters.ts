import { isJsonObject } from '../util/json/json.js'
import { optional } from './optional.js'

/** What OpenAI's chat completions take beside a prompt: for the model, and of no meaning to a render. */
export const OPENAI_PARAMETERS = [
  'model',
  'messages',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'n',
  'stop',
  'max_tokens',
  'max_completion_tokens',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'seed',
  'user',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'structured',
] as const

const IGNORED: ReadonlySet<string> = new Set(OPENAI_PARAMETERS)

/** A body's fields that are for a model, in its order. */
export function openAiParameters(body: unknown): readonly string[] {
  const found: string[] = []
  if (!isJsonObject(body)) return found
  // By hand: every render comes by here, and almost none has one.
  for (const name in body) if (IGNORED.has(name)) found.push(name)
  return found
}

/** The parameters as fields of a body that may come and are not used. */
export const ignoredParameters = Object.fromEntries(
  OPENAI_PARAMETERS.map((name) => [name, optional.any('For chats: ignored, with a warning')]),
)
