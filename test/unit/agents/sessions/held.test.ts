import { getHeapStatistics } from 'node:v8'
import { expect, it } from 'vitest'
import { AgentBuilder } from '../../../../src/agents/agent-builder.js'
import { AgentSession } from '../../../../src/agents/agent-session.js'
import { HookExecutor } from '../../../../src/agents/hook-executor.js'
import { openSessions } from '../../../../src/agents/sessions/program-sessions.js'
import { ToolRegistry } from '../../../../src/agents/tools/tool-registry.js'
import type { StoredMessage } from '../../../../src/conversation/history.js'
import { modelFrom } from '../../../../src/llm/model-from.js'
import { DEFAULT_MAX_IDLE, MAX_RECORD_BYTES } from '../../../../src/state/limits.js'
import { createMemoryState } from '../../../../src/state/memory-state.js'

const agent = { name: 'a', systemPrompt: 'Answer.' }
const provider = () => modelFrom(async () => ({ text: 'done' }))
/** One text that many messages share: the bounds count it every time, and the machine keeps it once. */
const LONG = 'x'.repeat(2 ** 21)
/** So many of them are more than memory state keeps, of one session and of all. */
const TOO_MANY =
  Math.ceil(Math.max(MAX_RECORD_BYTES, getHeapStatistics().heap_size_limit / 4) / LONG.length) + 1

function held(id: string): AgentSession {
  const bundle = new AgentBuilder()
    .provider(provider())
    .toolRegistry(new ToolRegistry())
    .hookExecutor(new HookExecutor())
    .config({ model: 'scripted', maxTurns: 1_000 })
    .build()
  return new AgentSession(agent, id, bundle)
}

it('the bounds that programs do not have would evict and refuse', async () => {
  const state = createMemoryState({ maxIdle: 1 })
  for (const id of ['one', 'two']) {
    const address = { kind: 'session', id } as const
    await state.create({ ...address, owner: '-', token: id, head: {} })
  }
  await expect(state.read({ kind: 'session', id: 'one' })).rejects.toMatchObject({
    code: 'session_not_found',
  })
})

it('a session that a program opened is never evicted: neither for the number of others, nor for what they keep', async () => {
  const sessions = await openSessions({
    provider: provider(),
    agents: [agent],
    config: { model: 'scripted' },
  })
  const first = await sessions.open('first')
  await first.submitTurn('hello')
  for (let count = 0; count <= DEFAULT_MAX_IDLE; count += 1) await sessions.open(`other-${count}`)
  for (let count = 0; count < TOO_MANY; count += 1)
    await (await sessions.open(`long-${count}`)).submitTurn(LONG)
  expect(await first.submitTurn('still there?')).toMatchObject({ status: 'completed', turn: 2 })
  expect((await first.messages()).map(({ content }) => content)).toEqual([
    ...['hello', 'done', 'still there?', 'done'],
  ])
  await sessions.close()
})

it('a session that an object holds is neither evicted nor refused, however much it keeps', async () => {
  const message = (content: string, turn: number): StoredMessage => ({
    id: `${turn}`,
    turn,
    message: { role: turn % 2 === 1 ? 'user' : 'assistant', content },
  })
  const long = Array.from({ length: TOO_MANY }, (_, place) => message(LONG, place + 1))
  const summary: StoredMessage = { ...message('It was long.', TOO_MANY), kind: 'summary' }
  const session = held('long').resume({ messages: [...long, summary], summaryUpTo: long.length })
  await session.submitTurn('and now?')
  await session.submitTurn('and then?')
  expect(session.messages.slice(long.length + 1).map(({ content }) => content)).toEqual([
    ...['and now?', 'done', 'and then?', 'done'],
  ])
})
