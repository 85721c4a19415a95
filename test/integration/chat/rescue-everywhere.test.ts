import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  chunk,
  completion,
  EVENT_STREAM,
  event,
  failure,
  type ScriptedUpstream,
  startScriptedUpstream,
  stream,
} from '../../../src/testing.js'
import { type RecordingLogger, recordingLogger } from '../../support/recording-logger.js'
import { collectSpans } from '../../support/spans.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

const CALL = '<tool_call>{"name":"tide_at","arguments":{"port":"Brest"}}</tool_call>'
const RAW = `error parsing tool call: raw='{"port":"Brest"}}', err=invalid character '}' after top-level value`
const tools = [
  {
    type: 'function',
    function: {
      name: 'tide_at',
      parameters: { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] },
    },
  },
]
const ask = (more: object = {}) => ({
  model: 'qwen3:8b',
  messages: [{ role: 'user', content: 'When is high tide in Brest?' }],
  tools,
  ...more,
})

const collected = collectSpans()
const scratch = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-rescue-'))
const logged: RecordingLogger = recordingLogger()
let upstream: ScriptedUpstream
let service: TestApp

beforeAll(async () => {
  upstream = await startScriptedUpstream()
  const config = join(scratch, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({
      upstreams: { local: { baseUrl: upstream.url } },
      models: [{ match: 'qwen3*', upstream: 'local', rescue: 'auto' }],
    }),
  )
  service = await startTestApp(
    {
      'agents/a/pilot.yaml': 'instructions: Be brief.\nmodel: qwen3:8b\ntools: ["m.*"]\n',
      'tools/m/tide_at.json': {
        name: 'tide_at',
        module: 'm',
        type: 'restful',
        description: 'When is high tide?',
        parameters: tools[0]?.function.parameters,
        restful: { url: '/tide', method: 'POST' },
      },
    },
    { CONFIG_FILE: config, TOOL_BASE_URL: upstream.url },
    { tracer: collected.tracer, logger: logged.logger },
  )
})

afterAll(async () => {
  await service.close()
  await upstream.close()
  rmSync(scratch, { recursive: true })
})
beforeEach(() => collected.clear())

async function counted(reason: string): Promise<number> {
  const { body } = await service.app.server.inject('/metrics')
  const line = new RegExp(`^llm_rescued_total\\{family="hermes",reason="${reason}"\\} (\\d+)$`, 'm').exec(
    body,
  )
  return Number(line?.[1] ?? 0)
}

const streamed = async (body: object) => {
  const { body: text } = await service.app.server.inject({
    method: 'POST',
    url: '/v1/chat/completions',
    payload: { ...body, stream: true },
  })
  return text
}

const spanOfChat = () => collected.spans().find(({ name }) => name === 'chat qwen3:8b')

describe('a rescue', () => {
  it.each([
    ['content', { content: CALL }],
    ['reasoning', { content: '', reasoning_content: `The tide.\n${CALL}` }],
  ])('is counted, logged and told by its span: calls in %s', async (reason, said) => {
    const before = await counted(reason)
    const choices = [{ index: 0, message: { role: 'assistant', ...said }, finish_reason: 'stop' }]
    upstream.script(completion('', { choices }))
    const { body } = await service.post('/v1/chat/completions', ask())
    expect(body.choices[0].message.tool_calls[0].function).toEqual({
      name: 'tide_at',
      arguments: '{"port":"Brest"}',
    })
    expect((await counted(reason)) - before).toBe(1)
    expect(spanOfChat()?.attributes['aps.model.rescued_tool_calls']).toBe('hermes')
    const line = logged.lines().findLast(({ msg }) => msg === 'tool calls read in an answer')
    expect(line).toMatchObject({ upstream: 'local', family: 'hermes', reason })
    expect(JSON.stringify(logged.lines())).not.toContain('Brest')
  })

  it('is told by the span of a stream, too', async () => {
    const before = await counted('content')
    upstream.script(stream(['Let me look. ', CALL.slice(0, 20), CALL.slice(20)]))
    expect(await streamed(ask())).toContain('"name":"tide_at"')
    expect((await counted('content')) - before).toBe(1)
    expect(spanOfChat()?.attributes['aps.model.rescued_tool_calls']).toBe('hermes')
  })

  it('leaves no trace where there was none', async () => {
    upstream.script(completion('At noon.'))
    await service.post('/v1/chat/completions', ask())
    expect(spanOfChat()?.attributes).not.toHaveProperty('aps.model.rescued_tool_calls')
  })

  it.each([
    ['a 500', failure(500, RAW)],
    ['a 200 with an error', { pieces: [JSON.stringify({ error: { message: RAW, type: 'api_error' } })] }],
    ['a 200 with an error as text', { pieces: [JSON.stringify({ error: RAW })] }],
  ])('reads Ollama’s failure in %s', async (_, answer) => {
    const before = await counted('failure')
    for (const isStreamed of [false, true]) {
      upstream.script(answer)
      const text = isStreamed
        ? await streamed(ask())
        : JSON.stringify((await service.post('/v1/chat/completions', ask())).body)
      expect(text).toContain('"name":"tide_at"')
      expect(text).toContain('"finish_reason":"tool_calls"')
      expect(upstream.requests).toHaveLength(1)
    }
    expect((await counted('failure')) - before).toBe(2)
  })

  it('reads it inside of a stream, behind words', async () => {
    const pieces = [event(chunk('Let me look.')), event(JSON.stringify({ error: { message: RAW } }))]
    upstream.script({ headers: EVENT_STREAM, pieces })
    const text = await streamed(ask())
    expect(text).toContain('"content":"Let me look."')
    expect(text).toContain('"name":"tide_at"')
    expect(text).toContain('"finish_reason":"tool_calls"')
    expect(text).not.toContain('error parsing')
    expect(spanOfChat()?.attributes['aps.model.rescued_tool_calls']).toBe('hermes')
  })

  it('leaves other failures inside of a stream as they are', async () => {
    const pieces = [
      event(chunk('Let me look.')),
      event(JSON.stringify({ error: { message: 'out of memory' } })),
    ]
    upstream.script({ headers: EVENT_STREAM, pieces })
    const text = await streamed(ask())
    expect(text).toContain('"content":"Let me look."')
    expect(text).toContain('"error"')
    expect(text).not.toContain('tool_calls')
  })

  it('serves the loop of an agent as it serves a chat', async () => {
    upstream.script(
      completion('<tool_call>{"name":"m_tide_at","arguments":{"port":"Brest"}}</tool_call>'),
      { pieces: ['"At noon"'] },
      completion('High tide is at noon.'),
    )
    const { body } = await service.post('/v1/chat/completions', {
      model: 'agent:a.pilot',
      messages: [{ role: 'user', content: 'When is high tide in Brest?' }],
    })
    expect(body.choices[0].message.content).toContain('High tide is at noon.')
    expect(upstream.requests.map(({ path }) => path.replace(/^.*\//, ''))).toEqual([
      'completions',
      'tide',
      'completions',
    ])
    const said = upstream.requests[2]?.body['messages']
    expect(JSON.stringify(said)).toContain('At noon')
    expect(JSON.stringify(said)).not.toContain('<tool_call>')
  })
})
