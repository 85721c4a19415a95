import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/errors.js'
import { type ComposedPrompt, composeMessages } from '../../../src/prompts/compose-messages.js'
import type { ComposeItem } from '../../../src/schema/compose.js'
import type { JsonObject } from '../../../src/util/json/json.js'

const ADVISER: ComposedPrompt = {
  kind: 'messages',
  messages: [
    { role: 'system', content: 'advise' },
    { role: 'user', content: 'question' },
  ],
}

/** Prompts by id; one written out renders to its `userPrompt`. */
function render(prompt: string | JsonObject, variables: JsonObject): ComposedPrompt {
  if (typeof prompt === 'object') return { kind: 'prompt', text: String(prompt['userPrompt']) }
  if (prompt === 'adviser') return ADVISER
  if (prompt === 'greet') return { kind: 'prompt', text: `Hello ${variables['name']}` }
  if (prompt === 'variables') return { kind: 'prompt', text: JSON.stringify(variables) }
  throw new ServiceError('prompt_not_found', `No prompt "${prompt}"`, { param: 'id', details: ['greet'] })
}

const compose = (items: readonly unknown[], variables: JsonObject = {}) =>
  composeMessages({ items: items as readonly ComposeItem[], variables, render })

const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }]
const user = { role: 'user', content: 'hi' }

const composed: readonly {
  readonly name: string
  readonly items: readonly unknown[]
  readonly messages: readonly unknown[]
  readonly variables?: JsonObject
}[] = [
  { name: 'a text', items: [{ role: 'user', text: 'hi' }], messages: [user] },
  {
    name: 'a text that looks like a template',
    items: [{ role: 'user', text: '{{.x}}' }],
    messages: [{ role: 'user', content: '{{.x}}' }],
  },
  {
    name: 'a prompt by id, as user',
    items: [{ prompt: 'greet', variables: { name: 'Ada' } }],
    messages: [{ role: 'user', content: 'Hello Ada' }],
  },
  {
    name: 'a prompt by id in another role, with a name',
    items: [{ role: 'developer', prompt: 'greet', variables: { name: 'Ada' }, name: 'boss' }],
    messages: [{ role: 'developer', content: 'Hello Ada', name: 'boss' }],
  },
  {
    name: 'a prompt written out',
    items: [{ role: 'system', prompt: { userPrompt: 'inline' } }],
    messages: [{ role: 'system', content: 'inline' }],
  },
  { name: 'a prompt with messages', items: [{ prompt: 'adviser' }], messages: ADVISER.messages },
  {
    name: "the request's variables, the item's on top",
    items: [{ prompt: 'variables', variables: { b: 3 } }],
    variables: { a: 1, b: 2 },
    messages: [{ role: 'user', content: '{"a":1,"b":3}' }],
  },
  {
    name: 'parts, and a prompt among them',
    items: [
      {
        role: 'user',
        parts: [
          { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
          { prompt: 'greet', variables: { name: 'Bob' } },
        ],
      },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
          { type: 'text', text: 'Hello Bob' },
        ],
      },
    ],
  },
  {
    name: 'a whole conversation with a tool call',
    items: [
      { role: 'system', text: 's' },
      { messages: [user, { role: 'assistant', content: 'a' }] },
      { prompt: 'greet', variables: { name: 'Ada' } },
      { role: 'assistant', tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', text: '42' },
    ],
    messages: [
      { role: 'system', content: 's' },
      user,
      { role: 'assistant', content: 'a' },
      { role: 'user', content: 'Hello Ada' },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', content: '42', tool_call_id: 'c1' },
    ],
  },
  {
    name: 'calls beside a text',
    items: [
      { role: 'assistant', text: 'wait', tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', text: '' },
    ],
    messages: [
      { role: 'assistant', content: 'wait', tool_calls: calls },
      { role: 'tool', content: '', tool_call_id: 'c1' },
    ],
  },
]

const refused: readonly {
  readonly name: string
  readonly items: readonly unknown[]
  readonly error: {
    readonly code: string
    readonly status?: number
    readonly param: string
    readonly message: string
  }
}[] = [
  {
    name: 'an item without content',
    items: [{ role: 'user' }],
    error: { code: 'invalid_request', param: 'compose[0]', message: 'compose[0] needs exactly one of' },
  },
  {
    name: 'an item with two contents',
    items: [
      { role: 'user', text: 'a' },
      { role: 'assistant', text: 'a', prompt: 'greet' },
    ],
    error: { code: 'invalid_request', param: 'compose[1]', message: 'compose[1] needs exactly one of' },
  },
  {
    name: 'a text without a role',
    items: [{ text: 'a' }],
    error: { code: 'invalid_request', param: 'compose[0].role', message: 'compose[0].role is required' },
  },
  {
    name: 'earlier messages with a role',
    items: [{ role: 'user', messages: [user] }],
    error: { code: 'invalid_request', param: 'compose[0].role', message: 'goes with a message only' },
  },
  {
    name: 'variables without a prompt',
    items: [{ role: 'user', text: 'a', variables: {} }],
    error: { code: 'invalid_request', param: 'compose[0].variables', message: 'goes with `prompt` only' },
  },
  {
    name: 'a call id on a user',
    items: [{ role: 'user', text: 'a', tool_call_id: 'x' }],
    error: { code: 'invalid_request', param: 'compose[0].tool_call_id', message: 'the role `tool` only' },
  },
  {
    name: 'calls on a user',
    items: [{ role: 'user', text: 'a', tool_calls: calls }],
    error: { code: 'invalid_request', param: 'compose[0].tool_calls', message: 'the role `assistant` only' },
  },
  {
    name: 'an unknown part',
    items: [{ role: 'user', parts: [{ type: 'text', text: 'a' }, { type: 'hologram' }] }],
    error: {
      code: 'invalid_request',
      param: 'compose[0].parts[1]',
      message: 'unknown content part type "hologram"',
    },
  },
  {
    name: 'a role for a prompt with messages',
    items: [{ role: 'user', prompt: 'adviser' }],
    error: {
      code: 'invalid_request',
      param: 'compose[0].role',
      message: 'does not go with a prompt that has messages',
    },
  },
  {
    name: 'a part of a prompt with messages',
    items: [{ role: 'user', parts: [{ prompt: 'adviser' }] }],
    error: { code: 'invalid_request', param: 'compose[0].parts[0].prompt', message: 'a part needs a text' },
  },
  {
    name: 'an unknown prompt',
    items: [{ role: 'system', text: 's' }, { prompt: 'nope' }],
    error: {
      code: 'prompt_not_found',
      status: 404,
      param: 'compose[1].id',
      message: 'compose[1]: No prompt "nope"',
    },
  },
  {
    name: 'a sequence that is no conversation',
    items: [{ prompt: 'greet' }, { role: 'user', text: 'again' }],
    error: {
      code: 'invalid_sequence',
      status: 400,
      param: 'compose',
      message: 'message 1: two user messages in a row',
    },
  },
]

describe('composeMessages', () => {
  it.each(composed)('assembles $name', async ({ items, variables, messages }) => {
    expect(await compose(items, variables)).toEqual(messages)
  })

  it.each(refused)('refuses $name', async ({ items, error }) => {
    const failure = await compose(items).catch((reason: unknown) => reason)
    expect(failure).toBeInstanceOf(ServiceError)
    const { message, ...fields } = error
    expect(failure).toMatchObject(fields)
    expect((failure as ServiceError).message).toContain(message)
  })

  it('names every misshapen item at once', async () => {
    const failure = await compose([{ text: 'a' }, { role: 'user' }, { prompt: 'greet' }]).catch(
      (reason) => reason,
    )
    expect(failure.details.map(({ path }: { path: string }) => path)).toEqual([
      'compose[0].role',
      'compose[1]',
    ])
  })

  it('starts all prompts before it waits for any', async () => {
    const started: string[] = []
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const running = composeMessages({
      items: [
        { role: 'system', prompt: 'a' },
        { role: 'user', prompt: 'b' },
      ],
      variables: {},
      render: async (prompt) => {
        started.push(String(prompt))
        if (started.length === 2) release()
        await gate
        return { kind: 'prompt', text: String(prompt) }
      },
    })
    expect(await running).toEqual([
      { role: 'system', content: 'a' },
      { role: 'user', content: 'b' },
    ])
    expect(started).toEqual(['a', 'b'])
  })
})
