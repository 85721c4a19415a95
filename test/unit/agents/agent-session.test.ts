import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../src/agents/agent.js'
import { AgentBuilder } from '../../../src/agents/agent-builder.js'
import type { AgentConfig } from '../../../src/agents/agent-config.js'
import { AgentSession } from '../../../src/agents/agent-session.js'
import { ContextManager } from '../../../src/agents/context-manager.js'
import { block, HookExecutor } from '../../../src/agents/hook-executor.js'
import { KnowledgeStore } from '../../../src/agents/memory/knowledge-store.js'
import { MemoryRetriever } from '../../../src/agents/memory/memory-retriever.js'
import { InMemoryStore } from '../../../src/agents/memory/memory-store.js'
import { ToolRegistry } from '../../../src/agents/tools/tool-registry.js'
import type { Message } from '../../../src/conversation/message.js'
import { createScriptedModel, type ScriptedReply } from '../../../src/testing/scripted-model.js'
import type { Json } from '../../support/test-app.js'

const helper: Agent = { name: 'helper', systemPrompt: 'You help.' }
const critic: Agent = { name: 'critic', systemPrompt: 'You judge.' }

function arrange(
  replies: readonly ScriptedReply[],
  config: Partial<AgentConfig> = {},
  hooks = new HookExecutor(),
) {
  const model = createScriptedModel(replies)
  const tools = new ToolRegistry()
    .register({ name: 'look', execute: () => 'seen' })
    .register({ name: 'write', execute: () => 'written' })
  const bundle = new AgentBuilder()
    .provider(model)
    .toolRegistry(tools)
    .hookExecutor(hooks)
    .config({ model: 'scripted', ...config })
    .build()
  const sent = (index: number) => model.requests[index]?.['messages'] as unknown as readonly Message[]
  return { model, bundle, tools, sent, session: new AgentSession(helper, 's', bundle) }
}

const calling = (name: string): ScriptedReply => ({ toolCalls: [{ name, arguments: {} }] })

describe('the builder', () => {
  const parts = {
    provider: (builder: AgentBuilder) => builder.provider(createScriptedModel([''])),
    tool_registry: (builder: AgentBuilder) => builder.toolRegistry(new ToolRegistry()),
    hook_executor: (builder: AgentBuilder) => builder.hookExecutor(new HookExecutor()),
  }

  it.each(Object.keys(parts) as (keyof typeof parts)[])('names a missing %s', (missing) => {
    const builder = new AgentBuilder()
    for (const [name, add] of Object.entries(parts)) if (name !== missing) add(builder)
    expect(() => builder.build()).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        message: expect.stringMatching(
          `^Missing ${missing}: call ${missing.replace(/_(.)/, (_, letter) => letter.toUpperCase())}\\(`,
        ),
      }),
    )
  })

  it('needs nothing else, and has defaults', () => {
    const builder = new AgentBuilder()
    for (const add of Object.values(parts)) add(builder)
    const bundle = builder.build()
    expect(bundle).toMatchObject({
      memoryStore: undefined,
      retriever: undefined,
      sessionMemoryBackend: undefined,
    })
    expect(bundle.config).toMatchObject({ maxTurns: 50, maxToolTurns: 10 })
    expect(bundle.config.sessionTtl).toBeUndefined()
    expect(bundle.config.compactConfig).toBeUndefined()
    expect(bundle.toolRegistry.listTools()).toEqual([])
  })

  it('registers a tool for its retriever', async () => {
    const pages = new KnowledgeStore(new InMemoryStore())
    await pages.savePage('Opening hours', 'We open at nine.', [])
    const builder = new AgentBuilder()
    for (const add of Object.values(parts)) add(builder)
    const { toolRegistry } = builder.retriever(new MemoryRetriever(pages)).build()
    expect(toolRegistry.listTools()).toEqual(['retrieve'])
    expect(await toolRegistry.invoke('retrieve', { query: 'opening hours' })).toMatchObject([
      { title: 'Opening hours' },
    ])
  })
})

describe('a session of an application', () => {
  it('counts its turns, keeps what was said, and adds up what it uses', async () => {
    const { session, sent } = arrange(['hello', 'again'])
    expect(session.turnIndex).toBe(0)
    await session.submitTurn('one')
    expect(session.turnIndex).toBe(1)
    const once = session.usage.usage.inputTokens
    await session.submitTurn('two')
    expect(sent(1).map(({ role, content }) => [role, content])).toEqual([
      ['system', 'You help.'],
      ['user', 'one'],
      ['assistant', 'hello'],
      ['user', 'two'],
    ])
    expect(once).toBeGreaterThan(0)
    expect(session.usage.usage.inputTokens).toBeGreaterThan(once)
  })

  it('tells hooks of every turn, also of one that fails, which uses up its index', async () => {
    const told: unknown[] = []
    const hooks = new HookExecutor()
      .register('onTurnStart', ({ turnIndex }) => (turnIndex === 1 ? block('no') : undefined))
      .register('onTurnEnd', ({ turnIndex, error }) => void told.push([turnIndex, error === undefined]))
    const { session, model } = arrange([{ fail: 400 }, 'fine'], {}, hooks)
    await expect(session.submitTurn('a')).rejects.toMatchObject({ code: 'llm_rejected' })
    await expect(session.submitTurn('b')).rejects.toMatchObject({ code: 'hook_blocked', message: 'no' })
    await session.submitTurn('c')
    expect(session.turnIndex).toBe(3)
    expect(told).toEqual([
      [0, false],
      [1, false],
      [2, true],
    ])
    expect(model.requests).toHaveLength(2)
  })

  it('refuses a turn too many, one beside another, and one after its time', async () => {
    const { session, bundle } = arrange(['hello'], { maxTurns: 1 })
    const first = session.submitTurn('a')
    await expect(session.submitTurn('b')).rejects.toMatchObject({ code: 'session_busy' })
    expect(() => session.resume([])).toThrow(expect.objectContaining({ code: 'session_busy' }))
    await first
    await expect(session.submitTurn('b')).rejects.toMatchObject({ code: 'limit_exceeded' })
    const short = new AgentSession(helper, 't', {
      ...bundle,
      config: { ...bundle.config, maxTurns: 9, sessionTtl: 1 },
    })
    await short.submitTurn('a')
    await new Promise((resolve) => setTimeout(resolve, 20))
    await expect(short.submitTurn('b')).rejects.toMatchObject({ code: 'session_not_found' })
  })

  it('runs so many rounds of tools, then asks for a last answer', async () => {
    const { session } = arrange([calling('look'), calling('write'), 'done'], { maxToolTurns: 2 })
    expect(await session.submitTurn('go')).toMatchObject({ endedBy: 'max_tool_turns', toolCalls: 2 })
  })

  it('shows all tools but its memory’s, or those that the agent chooses, which alone may be called', async () => {
    const { session, model, sent } = arrange(['a', calling('write'), 'b'])
    const shown = (index: number) =>
      [model.requests[index]?.['tools']].flat().map((tool) => (tool as Json).function.name)
    await session.submitTurn('x')
    expect(shown(0)).toEqual(['look', 'write'])
    session.agent = {
      ...helper,
      tools: (available) =>
        available.list().filter(({ name }) => ['look', 'session_memory_set'].includes(name)),
    }
    await session.submitTurn('y')
    expect(shown(1)).toEqual(['look', 'session_memory_set'])
    expect(sent(2).at(-1)?.content).toMatch(/^unknown_tool: /)
  })

  it('remembers what the application or the model sets, escaped, in the next turn and for itself alone', async () => {
    const setting = { name: 'session_memory_set', arguments: { key: 'mood', value: 'good' } }
    const { session, sent, bundle } = arrange([{ toolCalls: [setting] }, 'ok', 'next', 'other'])
    session.agent = { ...helper, tools: (available) => available.list() }
    await session.setSessionData('name', 'Ada')
    await session.setSessionData('name', 'Bob')
    expect(await session.getSessionData('name')).toBe('Bob')
    await session.submitTurn('a')
    await session.submitTurn('b')
    expect(sent(2)[0]?.content).toBe(
      'You help.\n\n<session-context>\nmood: good\nname: Bob\n</session-context>',
    )
    const other = new AgentSession(helper, 's2', bundle)
    await other.submitTurn('c')
    expect(sent(3)[0]?.content).toBe('You help.')
  })

  it('tells another agent once that it goes on, and again only after another one spoke', async () => {
    const { session, sent } = arrange(['a', 'b', 'c', 'd'])
    await session.submitTurn('one')
    session.agent = critic
    await session.submitTurn('two')
    await session.submitTurn('three')
    const reminded = (index: number) =>
      sent(index).map(({ content }) => JSON.stringify(content).includes('<system-reminder>'))
    expect(reminded(1)).toEqual([false, false, false, true])
    // What was said stays said; nothing new is added.
    expect(reminded(2)).toEqual([false, false, false, true, false, false])
    expect(sent(1)[0]?.content).toBe('You judge.')
    session.agent = helper
    await session.submitTurn('four')
    expect(reminded(3).filter(Boolean)).toHaveLength(2)
  })
})

describe('a session of an application is one of the service', () => {
  const asking = (approve: AgentConfig['approve'], replies: readonly ScriptedReply[]) => {
    const paid: unknown[] = []
    const { tools, ...arranged } = arrange(replies, approve === undefined ? {} : { approve })
    tools.register({
      name: 'pay',
      permission: 'ask',
      parameters: { type: 'object', properties: { amount: { type: 'integer' } } },
      execute: ({ amount }, { session }) => void paid.push([amount, session]),
    })
    return { ...arranged, paid }
  }
  const paying = (...amounts: readonly number[]): ScriptedReply => ({
    toolCalls: amounts.map((amount) => ({ name: 'pay', arguments: { amount } })),
  })

  it('waits for people, within one turn and one stream', async () => {
    const { session, paid } = asking(
      ({ arguments: args }) =>
        args['amount'] === 7 ? { decision: 'edit', arguments: { amount: 1 } } : args['amount'] === 2,
      [paying(2, 3, 7), 'paid'],
    )
    const run = session.startTurn('pay')
    const types: string[] = []
    for await (const { type } of run) types.push(type)
    expect(await run.result).toMatchObject({ text: 'paid', steps: 2 })
    expect(paid).toEqual([
      [2, 's'],
      [1, 's'],
    ])
    expect(types.filter((type) => type.startsWith('approval'))).toHaveLength(6)
    expect(types.filter((type) => type === 'turn.started')).toHaveLength(1)
    expect(types).not.toContain('paused')
    expect(types.at(-1)).toBe('turn.completed')
  })

  it.each<[string, AgentConfig['approve'], object]>([
    [
      'a person who cannot be asked',
      () => Promise.reject(new Error('nobody here')),
      { message: 'nobody here' },
    ],
    [
      'arguments that the tool does not take',
      () => ({ decision: 'edit', arguments: { amount: 'x' } }),
      { code: 'invalid_request' },
    ],
  ])('ends a turn with %s, and takes the next', async (_name, approve, failure) => {
    const { session, paid } = asking(approve, [paying(2), 'fine'])
    await expect(session.submitTurn('pay')).rejects.toMatchObject(failure)
    expect(paid).toEqual([])
    expect(await session.submitTurn('and now?')).toMatchObject({ text: 'fine' })
    expect(session.turnIndex).toBe(2)
  })

  it('keeps what tools did in a turn that failed', async () => {
    const { session, sent } = arrange([calling('look'), { fail: 400 }, 'fine'])
    await expect(session.submitTurn('go')).rejects.toMatchObject({ code: 'llm_rejected' })
    await session.submitTurn('again')
    expect(sent(2).map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
  })

  it('ends by its signal, with the reason of it, and takes the next turn', async () => {
    const { session, tools } = arrange([calling('wait'), 'fine'])
    const controller = new AbortController()
    tools.register({
      name: 'wait',
      execute: () => {
        controller.abort(new Error('enough'))
        return new Promise(() => {})
      },
    })
    await expect(session.submitTurn('go', { signal: controller.signal })).rejects.toThrow('enough')
    expect(await session.submitTurn('again')).toMatchObject({ text: 'fine' })
  })

  it('has any name, and throws what the program’s own code throws', async () => {
    const names: unknown[] = []
    const { bundle, tools } = arrange([calling('who'), 'fine'])
    tools.register({ name: 'who', execute: (_args, { session }) => void names.push(session) })
    await new AgentSession(helper, 'user:42/main', bundle).submitTurn('go')
    expect(names).toEqual(['user:42/main'])
    const broken: Agent = {
      name: 'broken',
      tools: () => {
        throw new TypeError('no tools today')
      },
    }
    await expect(new AgentSession(broken, 's', bundle).submitTurn('go')).rejects.toThrow(TypeError)
  })
})

describe('contexts of an application', () => {
  it('have their own messages and agents, and share one memory', async () => {
    const { bundle, sent } = arrange(['from one', 'from two', 'after the bridge'])
    const contexts = new ContextManager('s', bundle)
    const one = contexts.createContext('one', helper)
    const two = contexts.createContext('two', critic)
    expect(contexts.activeContext).toBe('one')
    expect(() => contexts.createContext('one', helper)).toThrow(
      expect.objectContaining({ code: 'already_exists' }),
    )
    await one.submitTurn('hello one')
    await two.submitTurn('hello two')
    expect(sent(1).map(({ content }) => content)).toEqual(['You judge.', 'hello two'])
    await contexts.bridge('one', 'two')
    expect(contexts.switchContext('two')).toBe(two)
    await two.submitTurn('what about one?')
    expect(sent(2)[0]?.content).toBe(
      'You judge.\n\n<session-context>\ncontext:one: from one\n</session-context>',
    )
    await contexts.bridge('two', 'one', 'a summary')
    expect(await contexts.sessionMemory.get('context:two')).toBe('a summary')
    contexts.destroyContext('two')
    expect(contexts.activeContext).toBeUndefined()
    expect(() => contexts.switchContext('two')).toThrow(
      expect.objectContaining({ code: 'context_not_found' }),
    )
    await expect(contexts.bridge('two', 'one')).rejects.toMatchObject({ code: 'context_not_found' })
  })
})
