import type { JsonObject } from '../../api/shapes.js'
import { pretty, python } from './sample-text.js'

/** A stored prompt and its variables, to be used by the library of somebody. */
export interface SdkRequest {
  /** Where the service is, without a slash at its end. */
  readonly origin: string
  /** The prompt's id. */
  readonly id: string
  readonly variables: JsonObject
  /** Whether keys are on. The key itself is never part of a sample. */
  readonly needsKey: boolean
}

/** The package's own client, for Node and browsers. */
export function toOwnTypeScript({ origin, id, variables, needsKey }: SdkRequest): string {
  const key = needsKey ? ', key: process.env.API_KEY' : ''
  return `import { createClient } from 'ai-prompt-shell/client'

const client = createClient({ url: ${JSON.stringify(origin)}${key} })
const prompt = await client.render(${JSON.stringify(id)}, ${pretty(variables)})
console.log(prompt.text ?? prompt.messages)
`
}

/** The package's own client, `clients/python/ai_prompt_shell.py`. */
export function toOwnPython({ origin, id, variables, needsKey }: SdkRequest): string {
  const key = needsKey ? ', key=os.environ["API_KEY"]' : ''
  return `${needsKey ? 'import os\n\n' : ''}from ai_prompt_shell import Client

client = Client(${JSON.stringify(origin)}${key})
prompt = client.render(${JSON.stringify(id)}, ${python(variables)})
print(prompt.text or prompt.messages)
`
}

/** OpenAI's client for TypeScript, whose types know a prompt with variables in the Responses API. */
export function toOpenAiTypeScript({ origin, id, variables, needsKey }: SdkRequest): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: ${JSON.stringify(`${origin}/v1`)}, apiKey: ${keyOf(needsKey)} })
const response = await client.responses.create({
  prompt: { id: ${JSON.stringify(id)}, variables: ${indented(pretty(variables))} },
})
console.log(response.output_text)
`
}

/** OpenAI's client for Python: what it has no parameter for goes through `extra_body`. */
export function toOpenAiPython({ origin, id, variables, needsKey }: SdkRequest): string {
  return `${needsKey ? 'import os\n\n' : ''}from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(`${origin}/v1`)}, api_key=${needsKey ? 'os.environ["API_KEY"]' : '"none"'})
completion = client.chat.completions.create(
    model=${JSON.stringify(`prompt:${id}`)},
    messages=[],
    extra_body={"variables": ${python(variables).replaceAll('\n', '\n    ')}},
)
print(completion.choices[0].message.content)
`
}

/** Vercel's AI SDK, whose `providerOptions` go into the body under the provider's name. */
export function toAiSdk({ origin, id, variables, needsKey }: SdkRequest): string {
  const key = needsKey ? ', apiKey: process.env.API_KEY' : ''
  return `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'

const shell = createOpenAICompatible({ name: 'shell', baseURL: ${JSON.stringify(`${origin}/v1`)}${key} })
const { text } = await generateText({
  model: shell(${JSON.stringify(`prompt:${id}`)}),
  prompt: 'Go ahead.',
  providerOptions: { shell: { variables: ${indented(pretty(variables))} } },
})
console.log(text)
`
}

/** LangChain's model for OpenAI, with `modelKwargs`. */
export function toLangChain({ origin, id, variables, needsKey }: SdkRequest): string {
  return `import { ChatOpenAI } from '@langchain/openai'

const model = new ChatOpenAI({
  model: ${JSON.stringify(`prompt:${id}`)},
  apiKey: ${keyOf(needsKey)},
  configuration: { baseURL: ${JSON.stringify(`${origin}/v1`)} },
  modelKwargs: { variables: ${indented(pretty(variables))} },
})
const answer = await model.invoke('Go ahead.')
console.log(answer.text)
`
}

function keyOf(needsKey: boolean): string {
  return needsKey ? 'process.env.API_KEY' : "'none'"
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ')
}
