import { describe, expect, it } from 'vitest'
import { assertConversation, findSequenceViolations } from '../../../src/conversation/validate-messages.js'
import { ServiceError } from '../../../src/errors.js'

const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
const system = { role: 'system', content: 's' }
const developer = { role: 'developer', content: 'd' }
const user = { role: 'user', content: 'u' }
const assistant = { role: 'assistant', content: 'a' }
const calls = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) })
const tool = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'r' })

const valid: readonly { readonly name: string; readonly messages: readonly unknown[] }[] = [
  { name: 'one user message', messages: [user] },
  { name: 'one system message', messages: [system] },
  { name: 'instructions and a question', messages: [system, user] },
  { name: 'two system messages', messages: [system, system, user] },
  { name: 'two developer messages', messages: [developer, developer, user] },
  { name: 'system and developer', messages: [system, developer, system, user] },
  { name: 'a dialogue', messages: [user, assistant, user, assistant, user] },
  { name: 'a system message in the middle', messages: [user, system, user] },
  { name: 'a call and its result', messages: [user, calls('1'), tool('1')] },
  { name: 'two parallel calls', messages: [user, calls('1', '2'), tool('1'), tool('2'), assistant] },
  { name: 'results in another order', messages: [user, calls('1', '2'), tool('2'), tool('1')] },
  { name: 'an assistant after a result', messages: [user, calls('1'), tool('1'), assistant] },
  { name: 'calls after a result', messages: [user, calls('1'), tool('1'), calls('2'), tool('2')] },
  {
    name: 'an id used again in a later group',
    messages: [user, calls('1'), tool('1'), calls('1'), tool('1')],
  },
  { name: 'a user after a result', messages: [user, calls('1'), tool('1'), user] },
  { name: 'an empty list of calls', messages: [user, { ...assistant, tool_calls: [] }, user] },
  { name: 'calls that are null', messages: [user, { ...assistant, tool_calls: null }] },
  { name: 'an assistant that begins', messages: [assistant, user] },
]

const invalid: readonly {
  readonly name: string
  readonly messages: readonly unknown[]
  readonly violations: readonly (readonly [index: number | null, rule: string, reason: string])[]
}[] = [
  { name: 'nothing', messages: [], violations: [[null, 'empty', 'the list of messages is empty']] },
  {
    name: 'two users',
    messages: [user, user],
    violations: [[1, 'repeated_role', 'two user messages in a row']],
  },
  {
    name: 'three users, each pair',
    messages: [user, user, user],
    violations: [
      [1, 'repeated_role', 'two user messages in a row'],
      [2, 'repeated_role', 'two user messages in a row'],
    ],
  },
  {
    name: 'two assistants',
    messages: [user, assistant, assistant],
    violations: [[2, 'repeated_role', 'two assistant messages in a row']],
  },
  {
    name: 'a tool first',
    messages: [tool('1')],
    violations: [[0, 'orphan_tool', 'a tool message must follow an assistant message with `tool_calls`']],
  },
  {
    name: 'a tool after a user',
    messages: [user, tool('1')],
    violations: [[1, 'orphan_tool', 'a tool message must follow an assistant message with `tool_calls`']],
  },
  {
    name: 'a tool after an assistant without calls',
    messages: [user, assistant, tool('1')],
    violations: [[2, 'orphan_tool', 'a tool message must follow an assistant message with `tool_calls`']],
  },
  {
    name: 'a tool after an assistant with an empty list of calls',
    messages: [user, { ...assistant, tool_calls: [] }, tool('1')],
    violations: [[2, 'orphan_tool', 'a tool message must follow an assistant message with `tool_calls`']],
  },
  {
    name: 'a result after its group ended',
    messages: [user, calls('1'), tool('1'), user, tool('1')],
    violations: [[4, 'orphan_tool', 'a tool message must follow an assistant message with `tool_calls`']],
  },
  {
    name: 'an unknown id',
    messages: [user, calls('1'), tool('1'), tool('2')],
    violations: [[3, 'tool_call_id', '`tool_call_id` "2" does not match a call of message 1']],
  },
  {
    name: 'a missing id, and so an open call',
    messages: [user, calls('1'), { role: 'tool', content: 'r' }],
    violations: [
      [2, 'tool_call_id', 'a tool message needs a `tool_call_id`'],
      [1, 'unanswered', 'tool call "1" is not answered before the next message'],
    ],
  },
  {
    name: 'an id answered twice',
    messages: [user, calls('1', '2'), tool('1'), tool('1'), tool('2')],
    violations: [[3, 'answered_twice', 'tool call "1" is answered twice']],
  },
  {
    name: 'a call left open before a user',
    messages: [user, calls('1', '2'), tool('1'), user],
    violations: [[1, 'unanswered', 'tool call "2" is not answered before the next message']],
  },
  {
    name: 'a call left open at the end',
    messages: [user, calls('1')],
    violations: [[1, 'unanswered', 'tool call "1" is not answered before the next message']],
  },
  {
    name: 'a call left open before another assistant',
    messages: [user, calls('1'), assistant],
    violations: [
      [1, 'unanswered', 'tool call "1" is not answered before the next message'],
      [2, 'repeated_role', 'two assistant messages in a row'],
    ],
  },
  {
    name: 'two calls with one id',
    messages: [user, calls('1', '1'), tool('1')],
    violations: [[1, 'tool_calls', 'two tool calls have the id "1"']],
  },
  {
    name: 'a call without an id',
    messages: [user, { ...assistant, tool_calls: [{ type: 'function' }] }],
    violations: [[1, 'tool_calls', '`tool_calls[0]` has no `id`']],
  },
  {
    name: 'calls that are no list',
    messages: [user, { ...assistant, tool_calls: {} }],
    violations: [[1, 'tool_calls', '`tool_calls` must be a list']],
  },
  {
    name: 'an unknown role',
    messages: [{ role: 'function', content: '' }],
    violations: [[0, 'role', 'unknown role "function"; known are system, developer, user, assistant, tool']],
  },
  {
    name: 'a role of the prototype',
    messages: [Object.create({ role: 'user' })],
    violations: [[0, 'role', 'unknown role undefined; known are system, developer, user, assistant, tool']],
  },
  {
    name: 'what is no message',
    messages: [user, 'hello', null],
    violations: [
      [1, 'message', 'a message must be an object'],
      [2, 'message', 'a message must be an object'],
    ],
  },
  {
    name: 'several things at once',
    messages: [tool('9'), user, user, calls('1')],
    violations: [
      [0, 'orphan_tool', 'a tool message must follow an assistant message with `tool_calls`'],
      [2, 'repeated_role', 'two user messages in a row'],
      [3, 'unanswered', 'tool call "1" is not answered before the next message'],
    ],
  },
]

describe('validateMessages', () => {
  it.each(valid)('accepts $name', ({ messages }) => {
    expect(findSequenceViolations(messages)).toEqual([])
    expect(() => assertConversation(messages)).not.toThrow()
  })

  it.each(invalid)('rejects $name', ({ messages, violations }) => {
    const expected = violations.map(([index, rule, reason]) => ({ index, rule, reason }))
    expect(findSequenceViolations(messages)).toEqual(expected)
    const error = failure(() => assertConversation(messages))
    expect(error).toMatchObject({ code: 'invalid_sequence', status: 400 })
    expect(error.details).toEqual(expected)
    expect(error.message).toContain(violations[0]?.[2])
  })

  it('accepts repeated roles where the caller allows them', () => {
    expect(findSequenceViolations([user, user, assistant, assistant], { allowRepeatedRoles: true })).toEqual(
      [],
    )
  })

  it('accepts calls that nobody has answered at the end, where the caller allows them', () => {
    const pending = { allowPending: true }
    expect(findSequenceViolations([user, calls('1', '2'), tool('2')], pending)).toEqual([])
    const left = findSequenceViolations([user, calls('1'), user, calls('2')], pending)
    expect(left.map(({ index, rule }) => [index, rule])).toEqual([[1, 'unanswered']])
  })

  it('keeps its message short and its details whole', () => {
    const error = failure(() => assertConversation(Array.from({ length: 100 }, () => user)))
    expect(error.details).toHaveLength(99)
    expect(error.message).toMatch(/; and 94 more$/)
  })
})

function failure(action: () => void): ServiceError {
  try {
    action()
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error('expected a ServiceError')
}
