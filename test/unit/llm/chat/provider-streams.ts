import type { StreamEvent } from '../../../../src/llm/chat/stream-event.js'

/** A stream as a provider writes it, and what it says. */
export interface ProviderStream {
  readonly name: string
  readonly lines: readonly string[]
  readonly events: readonly StreamEvent[]
}

const start = (model: string): StreamEvent => ({ kind: 'start', model })
const text = (said: string, index = 0): StreamEvent => ({ kind: 'text', index, text: said })
const reasoning = (said: string): StreamEvent => ({ kind: 'reasoning', index: 0, text: said })
const finish = (reason: 'stop' | 'tool_calls' | 'length' | 'other', index = 0): StreamEvent => ({
  kind: 'finish',
  index,
  reason,
})
const call = (
  position: number,
  piece: string,
  beginning: { id?: string; name?: string } = {},
): StreamEvent => ({
  kind: 'tool_call',
  index: 0,
  position,
  ...beginning,
  arguments: piece,
})
const usage = (
  inputTokens: number,
  outputTokens: number,
  cachedTokens = 0,
  reasoningTokens = 0,
): StreamEvent => ({
  kind: 'usage',
  usage: { inputTokens, outputTokens, cachedTokens, reasoningTokens },
})

/** The forms in which OpenAI-compatible servers stream, after their documents. */
export const PROVIDER_STREAMS: readonly ProviderStream[] = [
  {
    name: 'OpenAI: text and usage',
    lines: [
      '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4o-2024-08-06","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}',
      '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4o-2024-08-06","choices":[{"index":0,"delta":{"content":"Hello 😀"},"logprobs":null,"finish_reason":null}],"usage":null}',
      '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4o-2024-08-06","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}',
      '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4o-2024-08-06","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":2,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":3}}}',
    ],
    events: [start('gpt-4o-2024-08-06'), text('Hello 😀'), finish('stop'), usage(9, 4, 2, 3)],
  },
  {
    name: 'OpenAI: two tool calls in pieces',
    lines: [
      '{"model":"gpt-4o","choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"weather","arguments":""}}]},"finish_reason":null}]}',
      '{"model":"gpt-4o","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"city\\":"}}]},"finish_reason":null}]}',
      '{"model":"gpt-4o","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\\"北京\\"}"}}]},"finish_reason":null}]}',
      '{"model":"gpt-4o","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"time","arguments":"{}"}}]},"finish_reason":null}]}',
      '{"model":"gpt-4o","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}',
    ],
    events: [
      start('gpt-4o'),
      call(0, '', { id: 'call_a', name: 'weather' }),
      call(0, '{"city":'),
      call(0, '"北京"}'),
      call(1, '{}', { id: 'call_b', name: 'time' }),
      finish('tool_calls'),
    ],
  },
  {
    name: 'OpenAI: a refusal',
    lines: ['{"choices":[{"index":0,"delta":{"refusal":"I cannot."},"finish_reason":"stop"}]}'],
    events: [{ kind: 'refusal', index: 0, text: 'I cannot.' }, finish('stop')],
  },
  {
    name: 'OpenAI: two choices',
    lines: [
      '{"choices":[{"index":1,"delta":{"content":"b"}}]}',
      '{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"length"},{"index":1,"delta":{},"finish_reason":"stop"}]}',
    ],
    events: [text('b', 1), text('a'), finish('length'), finish('stop', 1)],
  },
  {
    name: 'Azure: a first chunk about filters only',
    lines: [
      '{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0}]}',
      '{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null,"content_filter_results":{}}],"model":"gpt-4o"}',
    ],
    events: [
      {
        kind: 'raw',
        chunk: {
          choices: [],
          created: 0,
          id: '',
          model: '',
          object: '',
          prompt_filter_results: [{ prompt_index: 0 }],
        },
      },
      start('gpt-4o'),
      text('x'),
    ],
  },
  {
    name: 'DeepSeek: reasoning_content, then content, usage beside the finish reason',
    lines: [
      '{"model":"deepseek-reasoner","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"Hm"}}]}',
      '{"model":"deepseek-reasoner","choices":[{"index":0,"delta":{"content":"42","reasoning_content":null}}]}',
      '{"model":"deepseek-reasoner","choices":[{"index":0,"delta":{"content":"","reasoning_content":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":7}}',
    ],
    events: [start('deepseek-reasoner'), reasoning('Hm'), text('42'), finish('stop'), usage(5, 7)],
  },
  {
    name: 'OpenRouter: reasoning by its other name',
    lines: [
      '{"model":"a/b","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Well"}}]}',
    ],
    events: [start('a/b'), reasoning('Well')],
  },
  {
    name: 'Gemini: every call whole and with the index 0',
    lines: [
      '{"model":"gemini","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"f1","type":"function","function":{"name":"a","arguments":"{}"}},{"index":0,"id":"f2","type":"function","function":{"name":"b","arguments":"{\\"x\\":1}"}}]},"finish_reason":"tool_calls"}]}',
    ],
    events: [
      start('gemini'),
      call(0, '{}', { id: 'f1', name: 'a' }),
      call(1, '{"x":1}', { id: 'f2', name: 'b' }),
      finish('tool_calls'),
    ],
  },
  {
    name: 'calls without index and id',
    lines: [
      '{"choices":[{"delta":{"tool_calls":[{"function":{"name":"a","arguments":"{"}}]}}]}',
      '{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}},{"function":{"name":"b"}}]}}]}',
    ],
    events: [call(0, '{', { name: 'a' }), call(0, '}'), call(1, '', { name: 'b' })],
  },
  {
    name: 'a call whose every piece repeats id and name',
    lines: [
      '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"a","arguments":"{"}}]}}]}',
      '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"a","arguments":"}"}}]}}]}',
    ],
    events: [call(0, '{', { id: '1', name: 'a' }), call(0, '}')],
  },
  {
    name: 'a finish reason of the provider’s own, and the old name for calls',
    lines: [
      '{"choices":[{"index":0,"delta":{},"finish_reason":"eos_token"}]}',
      '{"choices":[{"index":0,"delta":{},"finish_reason":"function_call"}]}',
    ],
    events: [finish('other'), finish('tool_calls')],
  },
  {
    name: 'chunks that say nothing',
    lines: ['{"choices":[{"index":0,"delta":{}}]}', '{"choices":null}', '{"choices":[null,1]}', '{}'],
    events: [
      { kind: 'raw', chunk: { choices: [{ index: 0, delta: {} }] } },
      { kind: 'raw', chunk: { choices: null } },
      { kind: 'raw', chunk: { choices: [null, 1] } },
      { kind: 'raw', chunk: {} },
    ],
  },
]

/** The bytes of a provider's stream. */
export function bytesOf({ lines }: Pick<ProviderStream, 'lines'>): Buffer {
  return Buffer.from([...lines, '[DONE]'].map((line) => `data: ${line}\n\n`).join(''))
}
