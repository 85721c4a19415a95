import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readStream } from '../../../src/llm/chat/read-stream.js'
import {
  completion,
  failure,
  type ScriptedUpstream,
  startScriptedUpstream,
  stream,
} from '../../../src/testing.js'
import { type ChatService, startChatService } from '../../support/chat-service.js'
import { collectStream } from '../../support/collect-stream.js'

const CALL = '<tool_call>{"name":"tide_at","arguments":{"port":"Brest"}}</tool_call>'
const tools = [
  {
    type: 'function',
    function: { name: 'tide_at', parameters: { type: 'object', properties: { port: { type: 'string' } } } },
  },
]

let upstream: ScriptedUpstream
let service: ChatService

beforeAll(async () => {
  upstream = await startScriptedUpstream()
  service = await startChatService({
    file: {
      upstreams: { local: { baseUrl: upstream.url } },
      models: [{ match: 'qwen3*', upstream: 'local', rescue: 'auto' }],
    },
  })
})

afterAll(async () => {
  await service.close()
  await upstream.close()
})

const ask = (more: object = {}) => ({
  model: 'qwen3:8b',
  messages: [{ role: 'user', content: 'When is high tide in Brest?' }],
  tools,
  ...more,
})

interface Answered {
  readonly choices: readonly {
    readonly finish_reason: string
    readonly message: {
      readonly content: string | null
      readonly tool_calls?: readonly {
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    }
  }[]
}

describe('a route with rescue', () => {
  it('makes calls of what the server left in the text', async () => {
    upstream.script(completion(`Let me look.\n${CALL}`))
    const response = await service.post('/v1/chat/completions', ask())
    const { choices } = (await response.json()) as Answered
    expect(response.headers.get('x-rescued-tool-calls')).toBe('hermes')
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Let me look.\n', tool_calls: [{ function: { name: 'tide_at' } }] },
    })
    expect(choices[0]?.message.tool_calls?.[0]?.function.arguments).toBe('{"port":"Brest"}')
    expect(upstream.requests.at(-1)?.body['tools']).toHaveLength(1)
    const line = service.log.find(({ msg }) => msg === 'tool calls read in an answer')
    expect(line).toMatchObject({ upstream: 'local', family: 'hermes', reason: 'content' })
    expect(JSON.stringify(service.log)).not.toContain('Brest')
  })

  it('does so while the answer streams', async () => {
    upstream.script(
      stream(['Let me ', 'look.', ' <tool', '_call>', ...(CALL.slice(11).match(/[\s\S]{1,5}/g) ?? [])]),
    )
    const response = await service.post('/v1/chat/completions', ask({ stream: true }))
    const text = await response.text()
    expect(text).toContain('"content":"Let me "')
    expect(text).not.toContain('tool_call>')
    const events = Buffer.from(text.replace('data: [DONE]\n\n', ''))
    const said = await collectStream(
      readStream(
        (async function* () {
          yield events
        })(),
      ),
    )
    expect(said).toMatchObject({ finishReason: 'tool_calls', toolCalls: [{ function: { name: 'tide_at' } }] })
  })

  it('reads Ollama’s failure in place of asking again', async () => {
    upstream.script(
      failure(
        500,
        `error parsing tool call: raw='{"port":"Brest"}}', err=invalid character '}' after top-level value`,
      ),
    )
    const before = upstream.requests.length
    const response = await service.post('/v1/chat/completions', ask())
    const { choices } = (await response.json()) as Answered
    expect(choices[0]?.message.tool_calls?.[0]?.function).toEqual({
      name: 'tide_at',
      arguments: '{"port":"Brest"}',
    })
    expect(upstream.requests.length - before).toBe(1)
  })

  it('relays the answers of other routes, and those without tools, as they came', async () => {
    for (const body of [ask({ model: 'gpt-5' }), ask({ tools: undefined })]) {
      upstream.script(completion(CALL))
      const response = await service.post('/v1/chat/completions', body)
      const { choices } = (await response.json()) as Answered
      expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: CALL } })
      expect(response.headers.get('x-rescued-tool-calls')).toBeNull()
    }
  })
})
