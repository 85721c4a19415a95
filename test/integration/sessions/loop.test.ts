import { afterEach, describe, expect, it } from 'vitest'
import { block, HookExecutor, patch } from '../../../src/agents/hook-executor.js'
import type { LocalTool } from '../../../src/tools/local-tool.js'
import {
  type ReplicaOptions,
  type Replicas,
  readEvents,
  STATE_KINDS,
  startReplicas,
} from '../../support/replicas.js'
import type { Json } from '../../support/test-app.js'

let replicas: Replicas
afterEach(() => replicas.close())

const add: LocalTool = {
  name: 'add',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  execute: ({ a, b }) => Number(a) + Number(b),
}
const sent = (index: number): Json => replicas.model.requests[index]?.['messages']

async function start(options: ReplicaOptions): Promise<string> {
  replicas = await startReplicas(options)
  const { body } = await replicas.first.ask('POST', '/sessions', { agent: 'helper' })
  return `/sessions/${body.id}`
}

describe.each(STATE_KINDS)('the loop inside a session, in %s', (state) => {
  it('speaks a text protocol: nobody sees a tag, and the next turn is shown calls as the model wrote them', async () => {
    const call = '<tool_call>\n{"name": "add", "arguments": {"a": 2, "b": 3}}\n</tool_call>'
    const path = await start({
      state,
      replies: [`Let me add. ${call}`, 'It is 5.', 'Again 5.'],
      agents: new Map([['helper', { tools: [add], protocol: 'hermes' as const }]]),
    })
    const live = await readEvents(replicas.first.url, `${path}/turns`, {
      body: { input: 'add', stream: true },
    })
    await live.ended
    const text = live.events.flatMap(({ name, data }) => (name === 'text.delta' ? [data.text] : [])).join('')
    expect(text).not.toContain('tool_call')
    expect(live.events.at(-1)).toMatchObject({ data: { result: { message: { content: 'It is 5.' } } } })
    const stored = (await replicas.second.ask('GET', `${path}/messages`)).body.items
    expect(stored.map(({ message }: Json) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(stored[1].message.tool_calls[0].function.name).toBe('add')
    expect(stored[2].message.content).toBe('5')

    await replicas.second.ask('POST', `${path}/turns`, { input: 'and now?' })
    const shown = sent(2)
    expect(replicas.model.requests[2]).not.toHaveProperty('tools')
    expect(shown.map(({ role }: Json) => role)).toEqual([
      ...['system', 'user', 'assistant', 'user', 'assistant', 'user'],
    ])
    expect(shown[0].content).toContain('<tool_call>')
    expect(shown[2].content).toContain('"name":"add"')
    expect(shown[3].content).toContain('<tool_response>')
  })

  it('summarises what does not fit; another replica goes on with the summary, and all of it stays stored', async () => {
    const long = Array.from({ length: 500 }, (_, index) => `chapter${index}`).join(' ')
    const path = await start({
      state,
      replies: [long, long, 'They told stories.', 'The end.', 'Once more.'],
      agents: new Map([['helper', { context: { window: 4_200 } }]]),
    })
    for (const input of ['one', 'two']) await replicas.first.ask('POST', `${path}/turns`, { input })
    const live = await readEvents(replicas.first.url, `${path}/turns`, {
      body: { input: 'three', stream: true },
    })
    await live.ended
    const compacted = live.events.find(({ name }) => name === 'compacted')?.data
    expect(compacted.tokens_after).toBeLessThan(compacted.tokens_before * 0.95)
    expect(live.events.at(-1)).toMatchObject({ data: { result: { message: { content: 'The end.' } } } })
    const { body } = await replicas.second.ask('POST', `${path}/turns`, { input: 'four' })
    expect(body.message.content).toBe('Once more.')
    const shown = sent(4)
    expect(shown.map(({ content }: Json) => content)).toEqual([
      'You are helper.',
      expect.stringContaining('They told stories.'),
      'three',
      'The end.',
      'four',
    ])
    const { items } = (await replicas.second.ask('GET', `${path}/messages`)).body
    expect(items.filter(({ message }: Json) => message.content === long)).toHaveLength(2)
    expect(items.filter(({ kind }: Json) => kind === 'summary')).toHaveLength(1)
  })

  it('asks the hooks: they may refuse a turn, a request or a call, and change what is sent, called and answered', async () => {
    const told: Json[] = []
    let refuses = true
    const hooks = new HookExecutor()
      .register('onTurnStart', () => (refuses ? block('not now') : undefined))
      .register('onTurnEnd', ({ turnIndex, error }) => void told.push([turnIndex, (error as Json)?.code]))
      .register('preRequest', () => patch({ temperature: 0.5 }))
      .register('preTool', ({ call }) => (call?.arguments['a'] === 7 ? block('not seven') : patch({ b: 40 })))
      .register('postTool', ({ outcome }) => patch({ value: `${outcome?.ok ? outcome.value : ''}!` }))
    const calls = [1, 7].map((a) => ({ name: 'add', arguments: { a, b: 1 } }))
    const path = await start({
      state,
      replies: [{ toolCalls: calls }, 'done'],
      agents: new Map([['helper', { tools: [add] }]]),
      overrides: { hooks },
    })
    const refused = await replicas.first.ask('POST', `${path}/turns`, { input: 'go' })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'hook_blocked'])
    refuses = false
    const { body } = await replicas.second.ask('POST', `${path}/turns`, { input: 'go' })
    expect(body).toMatchObject({ turn: 2, message: { content: 'done' } })
    expect(replicas.model.requests.map((request) => request['temperature'])).toEqual([0.5, 0.5])
    const results = sent(1).flatMap(({ role, content }: Json) => (role === 'tool' ? [content] : []))
    expect(results).toEqual(['41!', 'forbidden: not seven'])
    expect(told).toEqual([
      [0, 'hook_blocked'],
      [1, undefined],
    ])
  })

  it('uses up the number of a turn that the agent’s limit refuses, before any model is asked', async () => {
    const path = await start({ state, agents: new Map([['helper', { limits: { maxTurns: 1 } }]]) })
    expect((await replicas.first.ask('POST', `${path}/turns`, { input: 'one' })).status).toBe(200)
    const over = await replicas.second.ask('POST', `${path}/turns`, { input: 'two' })
    expect([over.status, over.body.error.code]).toEqual([409, 'limit_exceeded'])
    expect((await replicas.first.ask('GET', `${path}/turns/2`)).body).toMatchObject({
      status: 'failed',
      error: { code: 'limit_exceeded' },
    })
    const { items } = (await replicas.first.ask('GET', `${path}/messages`)).body
    expect(items).toHaveLength(2)
    expect(replicas.model.requests).toHaveLength(1)
  })
})
