import { describe, expect, it } from 'vitest'
import type { Message } from '../../../../src/conversation/message.js'
import { parseToolCalls } from '../../../../src/protocols/parse-calls.js'
import {
  CHAT_TEMPLATE_IDS,
  isChatTemplateId,
  protocolOfTemplate,
  renderChatTemplate,
} from '../../../../src/protocols/templates/chat-template.js'
import { toolProtocol } from '../../../../src/protocols/tool-protocol.js'
import { stringifyJson } from '../../../../src/util/json/json.js'

const now = new Date('2026-05-06T00:00:00Z')
const tide = {
  name: 'tide_at',
  description: 'When is high tide?',
  parameters: { type: 'object', properties: { port: { type: 'string' }, day: { type: 'integer' } } },
}
const CALLS = [
  { name: 'tide_at', arguments: { port: 'Brest\n"a" <b>', day: 3 } },
  { name: 'tide_at', arguments: { port: 'Vigo', day: 4 } },
]
const asked: Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'When is high tide?' },
]
const answered: Message = {
  role: 'assistant',
  content: 'Let me look.',
  tool_calls: CALLS.map(({ name, arguments: args }, index) => ({
    id: `c${index}`,
    type: 'function' as const,
    function: { name, arguments: stringifyJson(args) },
  })),
}
const results: Message[] = [
  { role: 'tool', tool_call_id: 'c0', content: 'noon' },
  { role: 'tool', tool_call_id: 'c1', content: 'six' },
]

describe.each(CHAT_TEMPLATE_IDS.filter(isChatTemplateId))('the chat template %s', (id) => {
  const protocol = protocolOfTemplate(id)
  const render = (messages: readonly Message[], addGenerationPrompt = true) =>
    renderChatTemplate(id, { messages, tools: [tide], now, addGenerationPrompt })

  it('explains the form by an example that is a call', () => {
    const instructions = toolProtocol(protocol).instructions([tide], now)
    const [, example = ''] = /# Form of a call\n\n([\s\S]*?)\n\n# Rules/.exec(instructions) ?? []
    const { calls, malformed } = parseToolCalls(example, { protocol })
    expect({ name: calls[0]?.name, calls: calls.length, malformed }).toEqual({
      name: 'tool_name',
      calls: 1,
      malformed: [],
    })
    expect(calls[0]?.arguments).toMatchObject({ first_argument: 'text' })
    expect(render(asked)).toContain(instructions)
  })

  it('writes an assistant’s turn as its models do', () => {
    const before = render(asked)
    const all = render([...asked, answered], false)
    expect(all.startsWith(before)).toBe(true)
    const { calls, malformed } = parseToolCalls(all.slice(before.length), { protocol, tools: [tide] })
    expect(malformed).toEqual([])
    expect(calls.map(({ name, arguments: args }) => ({ name, arguments: args }))).toEqual(CALLS)
  })

  it('ends where the next answer begins, and has every word in its order', () => {
    const text = render([...asked, answered, ...results, { role: 'user', content: 'And tomorrow?' }])
    const places = ['Be brief.', 'When is high tide?', 'Let me look.', 'noon', 'six', 'And tomorrow?'].map(
      (word) => text.lastIndexOf(word),
    )
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(text.endsWith(render([{ role: 'user', content: '' }]).slice(-1))).toBe(true)
  })

  it('lets no text leave its turn', () => {
    const frame = renderChatTemplate(id, {
      messages: [...asked, { role: 'assistant', content: 'Noon.' }],
      now,
    })
    const tokens = [...new Set(frame.match(/<[^<>\s]+>|\[\/?[A-Z_]+\]|\[e~\[|\]~!?b[[\]]/g) ?? [])]
    const hostile = [...tokens, ...tokens].join('')
    const alone = (content: string) => renderChatTemplate(id, { messages: [{ role: 'user', content }], now })
    const count = (text: string) => tokens.reduce((sum, token) => sum + text.split(token).length - 1, 0)
    expect(count(alone(hostile))).toBe(count(alone('')))
    expect(count(alone(`a < b [1] ${hostile}`))).toBe(count(alone('')))
  })
})

describe('a family’s own words', () => {
  const talk: Message[] = [
    ...asked,
    { role: 'assistant', content: 'Noon.' },
    { role: 'user', content: 'Thanks' },
  ]
  const calls = [
    { role: 'user' as const, content: 'Go' },
    { ...answered, tool_calls: answered.tool_calls?.slice(1) ?? [] },
  ]
  it.each([
    [
      'mistral',
      talk,
      '<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][INST]When is high tide?[/INST]Noon.</s>[INST]Thanks[/INST]',
    ],
    ['mistral', calls, '<s>[INST]Go[/INST]Let me look.[TOOL_CALLS]tide_at[ARGS]{"port":"Vigo","day":4}</s>'],
    [
      'harmony',
      talk,
      '<|start|>developer<|message|>Be brief.<|end|><|start|>user<|message|>When is high tide?<|end|><|start|>assistant<|channel|>final<|message|>Noon.<|end|><|start|>user<|message|>Thanks<|end|><|start|>assistant',
    ],
    [
      'harmony',
      calls,
      '<|start|>user<|message|>Go<|end|><|start|>assistant<|channel|>final<|message|>Let me look.<|end|><|start|>assistant<|channel|>commentary to=functions.tide_at <|constrain|>json<|message|>{"port":"Vigo","day":4}<|call|><|start|>assistant',
    ],
    [
      'functiongemma',
      talk,
      '<bos><start_of_turn>user\nBe brief.\n\nWhen is high tide?<end_of_turn>\n<start_of_turn>model\nNoon.<end_of_turn>\n<start_of_turn>user\nThanks<end_of_turn>\n<start_of_turn>model\n',
    ],
    [
      'llama',
      talk,
      '<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nWhen is high tide?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nNoon.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nThanks<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
    ],
    [
      'deepseek',
      talk,
      '<｜begin▁of▁sentence｜>Be brief.<｜User｜>When is high tide?<｜Assistant｜>Noon.<｜end▁of▁sentence｜><｜User｜>Thanks<｜Assistant｜>',
    ],
    [
      'minimax',
      talk,
      ']~!b[]~b]system\nBe brief.[e~[\n]~b]user\nWhen is high tide?[e~[\n]~b]ai\nNoon.[e~[\n]~b]user\nThanks[e~[\n]~b]ai\n',
    ],
    [
      'minimax-m3',
      talk,
      ']~!b[]~b]developer\nBe brief.[e~[\n]~b]user\nWhen is high tide?[e~[\n]~b]ai\nNoon.[e~[\n]~b]user\nThanks[e~[\n]~b]ai\n',
    ],
    [
      'step3',
      talk,
      '<｜begin▁of▁sentence｜>Be brief.<|BOT|>user\nWhen is high tide?<|EOT|><|BOT|>assistant\nNoon.<|EOT|><|BOT|>user\nThanks<|EOT|><|BOT|>assistant\n',
    ],
    [
      'hunyuan',
      talk,
      '<｜hy_begin_of_sentence:opensource｜>Be brief.<｜hy_User:opensource｜>When is high tide?<｜hy_Assistant:opensource｜>Noon.<｜hy_eos:opensource｜><｜hy_User:opensource｜>Thanks<｜hy_Assistant:opensource｜>',
    ],
    [
      'kimi',
      talk,
      '<|im_system|>system<|im_middle|>Be brief.<|im_end|><|im_user|>user<|im_middle|>When is high tide?<|im_end|><|im_assistant|>assistant<|im_middle|>Noon.<|im_end|><|im_user|>user<|im_middle|>Thanks<|im_end|><|im_assistant|>assistant<|im_middle|>',
    ],
    [
      'glm',
      talk,
      '[gMASK]<sop><|system|>\nBe brief.<|user|>\nWhen is high tide?<|assistant|>\nNoon.<|user|>\nThanks<|assistant|>\n',
    ],
    [
      'cohere',
      talk,
      '<BOS_TOKEN><|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>Be brief.<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>When is high tide?<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_RESPONSE|>Noon.<|END_RESPONSE|><|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>Thanks<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>',
    ],
  ] as const)('%s', (id, messages, text) => {
    expect(renderChatTemplate(id, { messages, now })).toBe(text)
  })
})
