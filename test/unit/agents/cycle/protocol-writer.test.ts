import { describe, expect, it } from 'vitest'
import { ProtocolWriter } from '../../../../src/agents/cycle/protocol-writer.js'
import type { Message } from '../../../../src/conversation/message.js'
import { toolProtocol } from '../../../../src/protocols/tool-protocol.js'
import { busyClock } from '../../../support/busy-clock.js'
import { turnsOfOthers } from '../../../support/turns-of-others.js'

/** A message that calls a tool with these arguments. */
function calling(args: string): Message {
  const called = { name: 'write', arguments: args }
  return { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: called }] }
}

const writer = () => new ProtocolWriter(toolProtocol('hermes'), () => undefined)

describe('a protocol writer', () => {
  it('reads the arguments of a message once, however often it is shown', async () => {
    let reads = 0
    const called = {
      name: 'write',
      get arguments() {
        reads += 1
        return '{"text": "a"}'
      },
    }
    const message: Message = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: called }],
    }
    const messages = [message, { role: 'tool', tool_call_id: 'c', content: 'done' } as const]
    const steps = writer()
    const readsOfSteps: number[] = []
    for (let step = 0; step < 3; step += 1) {
      reads = 0
      await steps.read(messages)
      readsOfSteps.push(reads)
      expect(JSON.stringify(steps.write(messages))).toContain('{\\"text\\":\\"a\\"}')
    }
    expect(readsOfSteps).toEqual([expect.any(Number), 0, 0])
    expect(readsOfSteps[0]).toBeGreaterThan(0)
  })

  it.each([
    ['is mended where it can be', "{city: 'Bonn',}", '{"city":"Bonn"}'],
    ['is nothing where it is empty', '', '{}'],
    ['is nothing where it is no object', '[1]', '{}'],
    ['is nothing where it is nested too deeply', `{"a":${'['.repeat(1_100)}${']'.repeat(1_100)}}`, '{}'],
    ['keeps large integers', '{"a": 12345678901234567890}', '{"a":12345678901234567890}'],
  ])('writes arguments as they are understood: %s', async (_, args, written) => {
    const message = calling(args)
    const own = writer()
    await own.read([message])
    expect(own.write([message])).toEqual([
      { role: 'assistant', content: expect.stringContaining(`"arguments":${written}`) },
    ])
  })

  it('lets others have their turns between and in long arguments', async () => {
    busyClock()
    const long = JSON.stringify({ list: Array.from({ length: 20_000 }, (_, index) => `value ${index}`) })
    // Four are between the two, and between what is done with each: in one piece each would add none.
    expect(await turnsOfOthers(() => writer().read([calling(long), calling(long)]))).toBeGreaterThan(6)
  })
})
