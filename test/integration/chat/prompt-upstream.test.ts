import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readStream } from '../../../src/llm/chat/read-stream.js'
import {
  event,
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../../src/testing.js'
import { type ChatService, startChatService } from '../../support/chat-service.js'
import { collectStream } from '../../support/collect-stream.js'

const tools = [
  {
    type: 'function',
    function: { name: 'tide_at', parameters: { type: 'object', properties: { port: { type: 'string' } } } },
  },
]
const head = { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'm' }
const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }

const answer = (text: string): ScriptedAnswer => ({
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify({ ...head, choices: [{ index: 0, text, finish_reason: 'stop' }], usage })],
})
const streamed = (...texts: string[]): ScriptedAnswer => ({
  headers: { 'content-type': 'text/event-stream' },
  pieces: [
    ...texts.map((text) =>
      event(JSON.stringify({ ...head, choices: [{ index: 0, text, finish_reason: null }] })),
    ),
    event(JSON.stringify({ ...head, choices: [{ index: 0, text: '', finish_reason: 'stop' }], usage })),
    event('[DONE]'),
  ],
})

let upstream: ScriptedUpstream
let service: ChatService

beforeAll(async () => {
  upstream = await startScriptedUpstream()
  service = await startChatService({
    file: {
      upstreams: {
        ours: { baseUrl: upstream.url, template: 'mistral' },
        ollama: { baseUrl: upstream.url, template: 'ollama:Modelfile' },
      },
      models: [
        { match: 'ministral*', upstream: 'ours' },
        { match: 'qwen3*', upstream: 'ollama' },
      ],
    },
    readTemplate: () =>
      'FROM x\nTEMPLATE """{{ range .Messages }}<{{ .Role }}>{{ .Content }}{{ end }}{{ json .Tools }}"""',
  })
})

afterAll(async () => {
  await service.close()
  await upstream.close()
})

const ask = (more: object = {}) => ({
  model: 'ministral:8b',
  messages: [{ role: 'user', content: 'When is high tide in Brest?' }],
  ...more,
})

const post = (body: object) => service.post('/v1/chat/completions', body)

async function read(response: Response) {
  const events = Buffer.from((await response.text()).replace('data: [DONE]\n\n', ''))
  return collectStream(
    readStream(
      (async function* () {
        yield events
      })(),
    ),
  )
}

describe('an upstream with a template', () => {
  it('gets one prompt in place of messages, and its text is the answer of a chat', async () => {
    upstream.script(answer('At noon.'))
    const response = await post(ask({ temperature: 0.5, max_completion_tokens: 9, reasoning_effort: 'low' }))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'At noon.' }, finish_reason: 'stop' }],
      usage,
    })
    const { path, body } = upstream.requests.at(-1) ?? {}
    expect(path).toMatch(/\/completions$/)
    expect(path).not.toContain('chat')
    expect(body).toEqual({
      model: 'ministral:8b',
      temperature: 0.5,
      max_tokens: 9,
      prompt: '<s>[INST]When is high tide in Brest?[/INST]',
    })
  })

  it('streams its text as the deltas of a chat', async () => {
    upstream.script(streamed('At ', 'noon.'))
    const response = await post(ask({ stream: true, stream_options: { include_usage: true } }))
    const said = await read(response)
    expect(said).toMatchObject({ text: 'At noon.', finishReason: 'stop', toolCalls: [] })
  })

  it('reads the calls that the model writes behind the prompt, whole and streamed', async () => {
    const call = '[TOOL_CALLS]tide_at[ARGS]{"port":"Brest"}'
    upstream.script(answer(`Let me look.${call}`))
    const whole = await post(ask({ tools }))
    expect(await whole.json()).toMatchObject({
      choices: [
        {
          message: {
            content: 'Let me look.',
            tool_calls: [{ function: { name: 'tide_at', arguments: '{"port":"Brest"}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    })
    expect(upstream.requests.at(-1)?.body['prompt']).toContain('"name":"tide_at"')
    expect(upstream.requests.at(-1)?.body['tools']).toBeUndefined()
    upstream.script(streamed(...call.split(/(?=[{[])/)))
    const said = await read(await post(ask({ tools, stream: true })))
    expect(said).toMatchObject({ finishReason: 'tool_calls', toolCalls: [{ function: { name: 'tide_at' } }] })
  })

  it('takes the template of a Modelfile, and the family of the model’s name', async () => {
    upstream.script(answer('<tool_call>\n{"name":"tide_at","arguments":{"port":"Brest"}}\n</tool_call>'))
    const response = await post(ask({ model: 'qwen3:8b', tools }))
    expect(await response.json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { name: 'tide_at' } }] } }],
    })
    expect(upstream.requests.at(-1)?.body['prompt']).toBe(
      '<user>When is high tide in Brest?[{"type":"function","function":{"name":"tide_at","description":"","parameters":{"type":"object","properties":{"port":{"type":"string"}}}}}]',
    )
  })

  it('passes on the upstream’s failures', async () => {
    upstream.script({ status: 400, pieces: ['{"error":{"message":"too long"}}'] })
    const response = await post(ask())
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('too long')
  })
})
