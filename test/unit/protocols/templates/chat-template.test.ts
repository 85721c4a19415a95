import { describe, expect, it } from 'vitest'
import type { Message } from '../../../../src/conversation/message.js'
import { type ChatTemplateId, renderChatTemplate } from '../../../../src/protocols/templates/chat-template.js'
import { toolProtocol } from '../../../../src/protocols/tool-protocol.js'
import type { Tool } from '../../../../src/tools/toolbox.js'

const now = new Date('2026-05-06T00:00:00Z')
const read: Tool = {
  name: 'm_read',
  server: 'm',
  description: 'Reads',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  call: () => Promise.reject(new Error('is not called')),
}
const messages: Message[] = [
  { role: 'system', content: 'Be {{ brief }}.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Read a ' },
      { type: 'text', text: 'and b.' },
    ],
  },
  {
    role: 'assistant',
    content: null,
    tool_calls: ['a', 'b'].map((path) => ({
      id: path,
      type: 'function' as const,
      function: { name: 'm_read', arguments: JSON.stringify({ path }) },
    })),
  },
  { role: 'tool', tool_call_id: 'a', content: 'A' },
  { role: 'tool', tool_call_id: 'b', content: 'B' },
]

describe('renderChatTemplate', () => {
  const rows: readonly (readonly [ChatTemplateId, string])[] = [
    [
      'qwen',
      `<|im_start|>system
Be {{ brief }}.

${toolProtocol('hermes').instructions([read], now)}<|im_end|>
<|im_start|>user
Read a and b.<|im_end|>
<|im_start|>assistant
<tool_call>
{"name":"m_read","arguments":{"path":"a"}}
</tool_call>
<tool_call>
{"name":"m_read","arguments":{"path":"b"}}
</tool_call><|im_end|>
<|im_start|>user
<tool_response>
A
</tool_response>
<tool_response>
B
</tool_response><|im_end|>
<|im_start|>assistant
`,
    ],
    [
      'lobehub',
      `<|im_start|>system
Be {{ brief }}.

${toolProtocol('mcp-xml').instructions([read], now)}<|im_end|>
<|im_start|>user
Read a and b.<|im_end|>
<|im_start|>assistant
${toolProtocol('mcp-xml').encodeCalls(['a', 'b'].map((path) => ({ name: 'm_read', server: 'm', arguments: { path } })))}<|im_end|>
<|im_start|>user
<tool_response>
A
</tool_response><|im_end|>
<|im_start|>user
<tool_response>
B
</tool_response><|im_end|>
<|im_start|>assistant
`,
    ],
  ]
  it.each(rows)('%s, with tools', (id, text) => {
    expect(renderChatTemplate(id, { messages, tools: [read], now })).toBe(text)
  })

  it.each(['qwen', 'lobehub'] as const)('%s, without tools', (id) => {
    const plain = renderChatTemplate(id, {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
      ],
      now,
      addGenerationPrompt: false,
    })
    expect(plain).toBe('<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n')
  })
})
