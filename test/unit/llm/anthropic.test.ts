import { describe, expect, it } from 'vitest'
import { MessageStream } from '../../../src/llm/anthropic/message-stream.js'
import { readMessagesRequest, showsThinking } from '../../../src/llm/anthropic/read-request.js'
import { writeMessage } from '../../../src/llm/anthropic/write-message.js'
import type { StreamEvent } from '../../../src/llm/chat/stream-event.js'
import type { JsonObject, JsonValue } from '../../../src/util/json/json.js'

const said = (content: JsonValue, role = 'user') => ({ messages: [{ role, content }] })
const text = (value: string) => ({ type: 'text', text: value })
const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }
const png = { type: 'base64', media_type: 'image/png', data: 'iVBO' }
const tool = {
  name: 'f',
  description: 'd',
  input_schema: { type: 'object' },
  cache_control: { type: 'ephemeral' },
}

describe('readMessagesRequest', () => {
  const rows: readonly { name: string; body: JsonObject; messages: JsonValue }[] = [
    {
      name: 'a text',
      body: { ...said('Hi'), system: 'Be kind.' },
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hi' },
      ],
    },
    {
      name: 'blocks, and hints for the cache',
      body: {
        ...said([{ ...text('Hi'), cache_control: { type: 'ephemeral' } }]),
        system: [{ ...text('One.'), cache_control: { type: 'ephemeral', ttl: '1h' } }, text('Two.')],
      },
      messages: [
        { role: 'system', content: 'One.\n\nTwo.' },
        { role: 'user', content: 'Hi' },
      ],
    },
    {
      name: 'images and documents',
      body: said([
        { type: 'image', source: png },
        { type: 'image', source: { type: 'url', url: 'https://x/a.png' } },
        { type: 'document', title: 'a.pdf', source: pdf },
        { type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'n' } },
        {
          type: 'document',
          source: { type: 'content', content: [text('c'), { type: 'image', source: png }] },
        },
        { type: 'search_result', source: 'https://x', title: 'X', content: [text('found')] },
      ]),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
            { type: 'image_url', image_url: { url: 'https://x/a.png' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
            text('Notes'),
            text('n'),
            text('c'),
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
            text('X\nhttps://x\nfound'),
          ],
        },
      ],
    },
    {
      name: 'calls, thinking whatever its signature, and their results',
      body: {
        messages: [
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Hm.', signature: 'EqQBCgIYAhIM' },
              { type: 'redacted_thinking', data: 'x' },
              text('I look.'),
              { type: 'tool_use', id: 'a', name: 'f', input: { n: 9007199254740993n } as never },
              { type: 'tool_use', id: 'b', name: 'g', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'a', content: [text('1'), { type: 'image', source: png }] },
              { type: 'tool_result', tool_use_id: 'b', content: 'no such file', is_error: true },
              { type: 'tool_result', tool_use_id: 'c', content: 'Error: as it is', is_error: true },
              { type: 'tool_result', tool_use_id: 'd', is_error: true },
              text('Go on.'),
            ],
          },
        ],
      },
      messages: [
        {
          role: 'assistant',
          content: 'I look.',
          reasoning_content: 'Hm.',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'f', arguments: '{"n":9007199254740993}' } },
            { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: 'Error: no such file' },
        { role: 'tool', tool_call_id: 'c', content: 'Error: as it is' },
        { role: 'tool', tool_call_id: 'd', content: 'Error: the tool failed' },
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }, text('Go on.')],
        },
      ],
    },
    {
      name: 'results without words beside them, and a system text in between',
      body: {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '1' }] },
          { role: 'system', content: 'Now short.' },
        ],
      },
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'system', content: 'Now short.' },
      ],
    },
  ]
  it.each(rows)('reads $name', ({ body, messages }) => {
    expect(readMessagesRequest(body).messages).toEqual(messages)
  })

  const fields: readonly { name: string; body: JsonObject; request: JsonObject }[] = [
    {
      name: 'what has another name, and what has none',
      body: {
        ...{
          model: 'm',
          max_tokens: 9,
          temperature: 0,
          top_p: 1,
          top_k: 5,
          stop_sequences: ['x'],
          stream: true,
        },
        ...{ metadata: { user_id: 'u' }, service_tier: 'auto', context_management: {}, variables: { a: 1 } },
      },
      request: {
        ...{ model: 'm', max_tokens: 9, temperature: 0, top_p: 1, top_k: 5, stop: ['x'], stream: true },
        ...{ user: 'u', variables: { a: 1 }, stream_options: { include_usage: true } },
      },
    },
    ...(
      [
        [{ type: 'enabled', budget_tokens: 1024 }, { reasoning_effort: 'low' }],
        [{ type: 'enabled', budget_tokens: 4096 }, { reasoning_effort: 'medium' }],
        [{ type: 'enabled', budget_tokens: 32_000 }, { reasoning_effort: 'high' }],
        [{ type: 'adaptive' }, {}],
        [{ type: 'disabled' }, {}],
      ] as const
    ).map(([thinking, request]) => ({
      name: `thinking ${JSON.stringify(thinking)}`,
      body: { thinking },
      request,
    })),
    {
      name: 'an effort',
      body: { output_config: { effort: 'max' }, thinking: { type: 'adaptive' } },
      request: { reasoning_effort: 'high' },
    },
    ...['constructor', '__proto__', 'endless'].map((effort) => ({
      name: `the effort ${effort}, which does not exist`,
      body: { output_config: { effort } },
      request: {},
    })),
    {
      name: 'a schema of the answer',
      body: { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      request: {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', schema: { type: 'object' }, strict: true },
        },
      },
    },
    ...(
      [
        [{ type: 'auto' }, { tool_choice: 'auto' }],
        [{ type: 'any' }, { tool_choice: 'required' }],
        [{ type: 'none' }, { tool_choice: 'none' }],
        [
          { type: 'tool', name: 'f', disable_parallel_tool_use: true },
          { tool_choice: { type: 'function', function: { name: 'f' } }, parallel_tool_calls: false },
        ],
      ] as const
    ).map(([choice, request]) => ({
      name: `the choice ${JSON.stringify(choice)}`,
      body: { tools: [tool, { ...tool, type: 'custom', strict: true }], tool_choice: choice },
      request: {
        tools: [
          { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } },
          {
            type: 'function',
            function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
          },
        ],
        ...request,
      },
    })),
    { name: 'a choice among no tools', body: { tools: [], tool_choice: { type: 'any' } }, request: {} },
  ]
  it.each(fields)('reads $name', ({ body, request }) => {
    expect(readMessagesRequest(body)).toEqual({ ...request, messages: [] })
  })

  it.each<readonly [JsonObject, string, string]>([
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools.0', 'web_search_20250305'],
    [{ tools: [tool, { type: 'bash_20250124', name: 'bash' }] }, 'tools.1', 'bash_20250124'],
    [{ tools: [{ input_schema: {} }] }, 'tools.0.name', 'missing'],
    [{ tools: [tool], tool_choice: { type: 'x' } }, 'tool_choice.type', '"auto"'],
    [{ mcp_servers: [{ type: 'url' }] }, 'mcp_servers', 'configuration'],
    [{ thread: { type: 'create' } }, 'thread', 'all messages'],
    [{ container: 'c' }, 'container', 'not supported'],
    [
      said([{ type: 'server_tool_use', id: 'a', name: 'web_search', input: {} }], 'assistant'),
      'messages.0.content.0',
      'server_tool_use',
    ],
    [
      said([{ type: 'image', source: { type: 'file', file_id: 'f' } }]),
      'messages.0.content.0.source.type',
      'file',
    ],
    [
      said([{ type: 'document', source: { type: 'url', url: 'u' } }]),
      'messages.0.content.0.source.type',
      'url',
    ],
    [said([{ type: 'tool_result' }]), 'messages.0.content.0.tool_use_id', 'missing'],
    [said('x', 'tool'), 'messages.0.role', 'assistant'],
    [said(1), 'messages.0.content', 'list'],
  ])('refuses %j by name', (body, param, message) => {
    expect(() => readMessagesRequest(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param, message: expect.stringContaining(message) }),
    )
  })

  it('shows thoughts to clients that ask for them', () => {
    const asked = [{ type: 'enabled' }, { type: 'adaptive', display: 'omitted' }, { type: 'disabled' }]
    expect(asked.map((thinking) => showsThinking({ thinking }))).toEqual([true, false, false])
    expect(showsThinking({})).toBe(false)
  })
})

const frame = { id: '1', model: 'm', showsThinking: true }
const usage = { inputTokens: 10, outputTokens: 4, cachedTokens: 3, reasoningTokens: 1 }
const counts = {
  input_tokens: 7,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 3,
  output_tokens: 4,
  output_tokens_details: { thinking_tokens: 1 },
}

describe('writeMessage', () => {
  const call = (id: string, args: string) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: args },
  })
  const answer = (message: JsonObject, finish_reason = 'stop') => ({
    model: 'real',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
  })

  it('has thinking, text and calls as blocks, and the whole usage', () => {
    const message = {
      content: 'Hi',
      reasoning_content: 'Hm',
      tool_calls: [call('a', '{"x":1}'), call('b', '')],
    }
    expect(writeMessage(frame, answer(message), usage)).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'real',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 'unsigned' },
        { type: 'text', text: 'Hi', citations: null },
        { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 }, caller: { type: 'direct' } },
        { type: 'tool_use', id: 'b', name: 'f', input: {}, caller: { type: 'direct' } },
      ],
      container: null,
      stop_reason: 'tool_use',
      stop_sequence: null,
      stop_details: null,
      usage: counts,
    })
    const hidden = writeMessage(
      { ...frame, showsThinking: false },
      answer({ reasoning_content: 'Hm' }),
      usage,
    )
    expect(hidden['content']).toEqual([])
  })

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['tool_calls', 'tool_use'],
    ['content_filter', 'refusal'],
    ['eos', 'end_turn'],
  ])('says for %s: %s', (reason, stop) => {
    expect(writeMessage(frame, answer({ content: 'x' }, reason), undefined)['stop_reason']).toBe(stop)
  })

  it('says what a model refuses', () => {
    const message = writeMessage(frame, answer({ content: null, refusal: 'No.' }), undefined)
    expect(message).toMatchObject({
      content: [{ type: 'text', text: 'No.' }],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: 'No.' },
    })
  })

  it('repairs arguments, and refuses what is no object', () => {
    const repaired = writeMessage(frame, answer({ tool_calls: [call('a', "{'x': 1,}")] }), undefined)
    expect(repaired['content']).toMatchObject([{ input: { x: 1 } }])
    expect(() => writeMessage(frame, answer({ tool_calls: [call('a', 'x')] }), undefined)).toThrow(
      expect.objectContaining({ code: 'llm_bad_response' }),
    )
  })
})

describe('MessageStream', () => {
  function run(events: readonly StreamEvent[], shows = true): readonly JsonObject[] {
    const stream = new MessageStream({ ...frame, showsThinking: shows })
    const written = events.map((event) => stream.take([event])).join('') + stream.end(usage)
    return written
      .split('\n\n')
      .filter((each) => each !== '')
      .map((each) => {
        const [name = '', data = ''] = each.split('\n')
        const event: JsonObject = JSON.parse(data.slice('data: '.length))
        expect(name).toBe(`event: ${event['type']}`)
        return event
      })
  }
  const piece = (position: number, args: string, id?: string): StreamEvent => ({
    ...{ kind: 'tool_call', index: 0, position, arguments: args },
    ...(id !== undefined && { id, name: 'f' }),
  })
  /** Blocks as a client puts them together, each begun, continued and ended in its place. */
  function blocksOf(events: readonly JsonObject[]): readonly unknown[] {
    const blocks: { start: JsonValue | undefined; text: string; ended: boolean }[] = []
    for (const event of events) {
      const block = blocks[Number(event['index'])]
      if (event['type'] === 'content_block_start') {
        expect(event['index']).toBe(blocks.length)
        expect(blocks.every(({ ended }) => ended)).toBe(true)
        blocks.push({ start: event['content_block'], text: '', ended: false })
      } else if (event['type'] === 'content_block_stop' && block !== undefined) block.ended = true
      else if (event['type'] === 'content_block_delta' && block !== undefined) {
        const { type: _type, ...delta } = event['delta'] as JsonObject
        block.text += Object.values(delta).join('')
      }
    }
    return blocks.map(({ start, text }) => [
      (start as JsonObject)['id'] ?? (start as JsonObject)['type'],
      text,
    ])
  }

  it('begins, continues and ends as Anthropic’s do, with the whole usage at the end', () => {
    const events = run([
      { kind: 'start', model: 'real' },
      { kind: 'reasoning', index: 0, text: 'Hm' },
      { kind: 'text', index: 0, text: 'Hel' },
      { kind: 'text', index: 0, text: 'lo' },
      { kind: 'text', index: 1, text: 'another choice' },
      { kind: 'finish', index: 0, reason: 'length' },
    ])
    expect(events).toMatchObject([
      {
        type: 'message_start',
        message: { id: 'msg_1', model: 'real', content: [], usage: { input_tokens: 0 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'unsigned' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hel' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'lo' } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens', stop_sequence: null }, usage: counts },
      { type: 'message_stop' },
    ])
  })

  it('says nothing of thoughts to a client that did not ask', () => {
    expect(blocksOf(run([{ kind: 'reasoning', index: 0, text: 'Hm' }], false))).toEqual([])
  })

  it.each([
    ['one after the other', [piece(0, '', 'a'), piece(0, '{"x":'), piece(0, '1}'), piece(1, '{}', 'b')]],
    [
      'mixed',
      [piece(0, '', 'a'), piece(1, '{', 'b'), piece(0, '{"x":'), piece(1, '}'), piece(0, '1}'), piece(0, '')],
    ],
    ['with white space behind', [piece(0, '{"x":1}', 'a'), piece(1, '{}', 'b'), piece(0, '\n')]],
  ])('keeps parallel calls apart, %s', (_name, pieces) => {
    const events = run([...pieces, { kind: 'finish', index: 0, reason: 'stop' }])
    expect(blocksOf(events)).toEqual([
      ['a', '{"x":1}'],
      ['b', '{}'],
    ])
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } })
  })
})
