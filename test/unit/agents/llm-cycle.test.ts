import { describe, expect, it } from 'vitest'
import { LlmCycle } from '../../../src/agents/llm-cycle.js'
import { createScriptedModel, type ScriptedReply } from '../../../src/testing/scripted-model.js'
import { isJsonObject, type JsonValue } from '../../../src/util/json/json.js'

const start = (replies: readonly ScriptedReply[], systemPrompt?: string) => {
  const model = createScriptedModel(replies, { retry: { waitsMs: [], retryAfterCapMs: 0 } })
  return {
    model,
    cycle: new LlmCycle(model, {
      model: 'm',
      parameters: { temperature: 0 },
      ...(systemPrompt !== undefined && { systemPrompt }),
    }),
  }
}

const rolesOf = (messages: JsonValue | undefined) =>
  Array.isArray(messages) ? messages.map((message) => isJsonObject(message) && message['role']) : []

describe('a cycle', () => {
  it('remembers what was said, and puts its system prompt first', async () => {
    const { model, cycle } = start(['one', 'two'], 'Be brief.')
    await cycle.submit('a')
    const { body } = await cycle.submit('b')
    expect(body).toMatchObject({ choices: [{ message: { content: 'two' } }] })
    expect(model.requests).toMatchObject([
      { model: 'm', temperature: 0, messages: [{ content: 'Be brief.' }, { role: 'user', content: 'a' }] },
      { messages: [{ role: 'system' }, { content: 'a' }, { content: 'one' }, { content: 'b' }] },
    ])
    expect(model.requests[0]).not.toHaveProperty('tools')
    expect(rolesOf(cycle.messages)).toEqual(['system', 'user', 'assistant', 'user', 'assistant'])
  })

  it.each(['system', 'developer'] as const)(
    'adds no system prompt to a history with a %s message',
    async (role) => {
      const { model, cycle } = start(['x'], 'unused')
      await cycle.withMessages([{ role, content: 'own' }]).submit('a')
      expect(rolesOf(model.requests[0]?.['messages'])).toEqual([role, 'user'])
    },
  )

  it('fits the window of its model in plain questions, too: a summary stands for older messages', async () => {
    const model = createScriptedModel(['one', 'two', 'the gist', 'three', 'four'])
    const cycle = new LlmCycle(model, { systemPrompt: 'Be brief.', context: { window: 4_000 } })
    await cycle.submit('x'.repeat(3_000))
    await cycle.submit('y'.repeat(3_000))
    expect((await cycle.submit('z'.repeat(6_000))).text).toBe('three')
    const asked = JSON.stringify(model.requests[3])
    expect(asked).toContain('the gist')
    expect(asked).toContain('Be brief.')
    expect(asked).not.toContain('xxx')
    expect(cycle.spent.usage.outputTokens).toBe(5)
    await cycle.submit('and?')
    expect(JSON.stringify(model.requests[4])).toContain('the gist')
    expect(cycle.messages.filter(({ content }) => String(content).startsWith('x'))).toHaveLength(1)
  })

  it('adds nothing of its own to submitted messages', async () => {
    const { model, cycle } = start(['x'], 'unused')
    await cycle.submitMessages([{ role: 'user', content: 'only this' }])
    expect(model.requests[0]?.['messages']).toEqual([{ role: 'user', content: 'only this' }])
  })

  it('leaves its history as it was when a call fails, and goes on', async () => {
    const { cycle } = start([{ fail: 503 }, 'fine'])
    cycle.extendMessages([{ role: 'user', content: 'before' }])
    await expect(cycle.submit('a')).rejects.toMatchObject({ code: 'llm_unavailable' })
    expect(cycle.messages).toEqual([{ role: 'user', content: 'before' }])
    await cycle.submit('b')
    expect(cycle.messages).toHaveLength(3)
  })

  it('refuses a second call while the first one runs', async () => {
    const { cycle } = start(['x'])
    const first = cycle.submit('a')
    await expect(cycle.submit('b')).rejects.toMatchObject({ code: 'overloaded' })
    await first
    expect(cycle.messages).toHaveLength(2)
  })
})
