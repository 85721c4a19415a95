import { describe, expect, it } from 'vitest'
import { imagePart, textPart } from '../../../src/conversation/content-part.js'
import type { ContentPart, Message } from '../../../src/conversation/message.js'
import { PromptComposer, toWireMessages } from '../../../src/prompt-library/prompt-composer.js'
import { PromptError } from '../../../src/prompt-library/prompt-error.js'
import { PromptTemplate } from '../../../src/prompt-library/prompt-template.js'
import { TemplateContext } from '../../../src/prompt-library/template-context.js'

const text = (content: string) => [{ type: 'text', text: content }]
const image = imagePart('https://example.org/a.png')
const template = PromptTemplate.compile('Hello {{name}}')
const ada = new TemplateContext().insert('name', 'Ada')
const call = { id: 'c1', type: 'function' as const, function: { name: 'f', arguments: '{}' } }

const rows: readonly (readonly [name: string, chain: PromptComposer, messages: readonly unknown[]])[] = [
  ['nothing', new PromptComposer(), []],
  ['system', new PromptComposer().system('a'), [{ role: 'system', content: text('a') }]],
  ['user', new PromptComposer().user('a'), [{ role: 'user', content: text('a') }]],
  ['assistant', new PromptComposer().assistant('a'), [{ role: 'assistant', content: text('a') }]],
  ['developer', new PromptComposer().developer('a'), [{ role: 'developer', content: text('a') }]],
  ['tool', new PromptComposer().tool('c1', 'a'), [{ role: 'tool', tool_call_id: 'c1', content: text('a') }]],
  ['an empty text', new PromptComposer().user(''), [{ role: 'user', content: text('') }]],
  ['a text with braces', new PromptComposer().user('{{x}}'), [{ role: 'user', content: text('{{x}}') }]],
  [
    'systemTemplate',
    new PromptComposer().systemTemplate(template, ada),
    [{ role: 'system', content: text('Hello Ada') }],
  ],
  [
    'userTemplate',
    new PromptComposer().userTemplate(template, ada),
    [{ role: 'user', content: text('Hello Ada') }],
  ],
  [
    'assistantTemplate',
    new PromptComposer().assistantTemplate(template, ada),
    [{ role: 'assistant', content: text('Hello Ada') }],
  ],
  [
    'developerTemplate',
    new PromptComposer().developerTemplate(template, { name: 'Bob' }),
    [{ role: 'developer', content: text('Hello Bob') }],
  ],
  ['systemContent', new PromptComposer().systemContent(image), [{ role: 'system', content: [image] }]],
  ['userContent', new PromptComposer().userContent(image), [{ role: 'user', content: [image] }]],
  [
    'assistantContent',
    new PromptComposer().assistantContent(image),
    [{ role: 'assistant', content: [image] }],
  ],
  [
    'developerContent',
    new PromptComposer().developerContent(image),
    [{ role: 'developer', content: [image] }],
  ],
  [
    'toolContent',
    new PromptComposer().toolContent('c1', image),
    [{ role: 'tool', tool_call_id: 'c1', content: [image] }],
  ],
  [
    'systemContents',
    new PromptComposer().systemContents([textPart('a'), image]),
    [{ role: 'system', content: [...text('a'), image] }],
  ],
  [
    'userContents',
    new PromptComposer().userContents([image, image]),
    [{ role: 'user', content: [image, image] }],
  ],
  [
    'assistantContents',
    new PromptComposer().assistantContents([image]),
    [{ role: 'assistant', content: [image] }],
  ],
  [
    'developerContents',
    new PromptComposer().developerContents([image]),
    [{ role: 'developer', content: [image] }],
  ],
  [
    'assistantToolCalls',
    new PromptComposer().assistantToolCalls([call]),
    [{ role: 'assistant', content: null, tool_calls: [call] }],
  ],
  [
    'assistantToolCalls with text',
    new PromptComposer().assistantToolCalls([call], 'wait'),
    [{ role: 'assistant', content: text('wait'), tool_calls: [call] }],
  ],
  [
    'withName on the last message only',
    new PromptComposer().user('a').assistant('b').withName('bot'),
    [
      { role: 'user', content: text('a') },
      { role: 'assistant', content: text('b'), name: 'bot' },
    ],
  ],
  [
    'withName twice: the later one',
    new PromptComposer().user('a').withName('x').withName('y'),
    [{ role: 'user', content: text('a'), name: 'y' }],
  ],
  [
    'withName before any message names the first',
    new PromptComposer().withName('ann').user('a').assistant('b'),
    [
      { role: 'user', content: text('a'), name: 'ann' },
      { role: 'assistant', content: text('b') },
    ],
  ],
  [
    'withName before and after: the later one',
    new PromptComposer().withName('x').user('a').withName('y'),
    [{ role: 'user', content: text('a'), name: 'y' }],
  ],
  [
    'fromMessages, continued',
    PromptComposer.fromMessages([{ role: 'user', content: 'a' }]).assistant('b'),
    [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: text('b') },
    ],
  ],
  [
    'fromMessages, named',
    PromptComposer.fromMessages([{ role: 'user', content: 'a' }]).withName('x'),
    [{ role: 'user', content: 'a', name: 'x' }],
  ],
  [
    'parts with further fields',
    new PromptComposer().userContent({ ...textPart('a'), cache_control: { type: 'ephemeral' } }),
    [{ role: 'user', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] }],
  ],
]

describe('PromptComposer', () => {
  it.each(rows)('%s', (_name, chain, messages) => {
    expect(chain.build()).toEqual(messages)
  })

  it('is immutable: a common beginning can be shared', () => {
    const common = new PromptComposer().system('s')
    const first = common.user('a').withName('x')
    const second = common.user('b')
    expect(common.build()).toHaveLength(1)
    expect(first.build()[1]).toEqual({ role: 'user', content: text('a'), name: 'x' })
    expect(second.build()[1]).toEqual({ role: 'user', content: text('b') })
    common.build().push({ role: 'user', content: 'c' })
    expect(common.build()).toHaveLength(1)
  })

  it('does not follow later changes of lists it was given', () => {
    const messages: Message[] = [{ role: 'user', content: 'a' }]
    const parts: ContentPart[] = [image]
    const composer = PromptComposer.fromMessages(messages).userContents(parts)
    messages.push({ role: 'user', content: 'b' })
    parts.push(image)
    expect(composer.build()).toEqual([
      { role: 'user', content: 'a' },
      { role: 'user', content: [image] },
    ])
  })

  it('builds a request of model and messages, lone texts as plain strings', () => {
    const request = new PromptComposer()
      .system('s')
      .userContents([textPart('a'), image])
      .buildRequest('gpt-4o')
    expect(request).toEqual({
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: [...text('a'), image] },
      ],
    })
    expect(Object.keys(request)).toEqual(['model', 'messages'])
  })

  it('keeps text parts in a request when asked to', () => {
    const request = new PromptComposer().user('a').buildRequest('m', { flattenText: false })
    expect(request.messages).toEqual([{ role: 'user', content: text('a') }])
  })

  it('flattens nothing that would be lost', () => {
    const cached: ContentPart = { ...textPart('a'), cache_control: { type: 'ephemeral' } }
    const messages = new PromptComposer()
      .userContent(cached)
      .userContents([textPart('a'), textPart('b')])
      .build()
    expect(toWireMessages(messages)).toEqual(messages)
    const calls = new PromptComposer().assistantToolCalls([call]).build()
    expect(toWireMessages(calls)).toEqual(calls)
  })

  it.each([
    ['an unknown part', () => new PromptComposer().userContent({ type: 'video' } as unknown as ContentPart)],
    ['an unknown part of a tool', () => new PromptComposer().toolContent('c', {} as ContentPart)],
    [
      'an unknown part in a list',
      () => new PromptComposer().userContents([image, null as unknown as ContentPart]),
    ],
    ['no parts', () => new PromptComposer().userContents([])],
    [
      'an unknown part in earlier messages',
      () =>
        PromptComposer.fromMessages([
          { role: 'user', content: [{ type: 'video' } as unknown as ContentPart] },
        ]),
    ],
    ['earlier messages that are none', () => PromptComposer.fromMessages(['a' as unknown as Message])],
  ])('rejects %s', (_name, compose) => {
    expect(compose).toThrow(PromptError)
    expect(compose).toThrow(expect.objectContaining({ kind: 'InvalidSequence' }))
  })

  it('passes on what a template fails with', () => {
    expect(() => new PromptComposer().userTemplate(template, new TemplateContext())).toThrow(
      expect.objectContaining({ kind: 'VariableNotFound', subject: 'name' }),
    )
  })
})
