import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  type Agent,
  AgentBuilder,
  AgentSession,
  type AnsweringModel,
  DEFAULT_AGENT_CONFIG,
  DEFAULT_LIMITS,
  extractBoxed,
  type HookContext,
  HookExecutor,
  InMemoryStore,
  isRecoverable,
  type JsonObject,
  JsonPlanParser,
  KnowledgeStore,
  LlmCycle,
  MemoryRetriever,
  type Message,
  PermissionChecker,
  PermissionConfig,
  type Plan,
  parseToolCalls,
  type RuntimeBundle,
  ServiceError,
  safeJsonLoads,
  ToolRegistry,
  type TurnEvent,
  type TurnResult,
  type TurnRun,
  toolProtocol,
} from '../../../src/agent.js'
import { createScriptedModel } from '../../../src/testing.js'

const FAMILY = ['native', 'mcp-xml', 'hermes', 'qwen-coder', 'glm', 'kimi', 'deepseek', 'llama'] as const
const helper: Agent = { name: 'helper', systemPrompt: 'You help.' }
const number = { type: 'number' }
const registry = () =>
  new ToolRegistry().register({
    name: 'add',
    parameters: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
    execute: ({ a, b }) => Number(a) + Number(b),
  })
const asking = { toolCalls: [{ name: 'add', arguments: { a: 2, b: 3 } }] }
const openCycle = (...replies: Parameters<typeof createScriptedModel>[0]) =>
  new LlmCycle(createScriptedModel(replies), { model: 'scripted', systemPrompt: 'You add.' })

describe('tool calls in text', () => {
  it.each(FAMILY)('%s is a protocol', (id) => {
    const protocol = toolProtocol(id)
    expect(protocol.id).toBe(id)
    expectTypeOf(protocol.instructions).returns.toEqualTypeOf<string>()
    expectTypeOf(protocol.encodeResults).returns.toEqualTypeOf<Message[]>()
    const parser = protocol.parser()
    expect([...parser.push('words'), ...parser.end()]).toEqual([{ kind: 'text', text: 'words' }])
  })

  it('another protocol is none', () => {
    expect(() => toolProtocol('smoke' as 'native')).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    )
  })

  it.each<[string, Parameters<typeof parseToolCalls>, object]>([
    [
      'mcp-xml first, with spaces between tags and around names',
      [
        '<use_mcp_tool> <server_name> m </server_name> <tool_name>read</tool_name> <arguments>{"path":"a"}</arguments> </use_mcp_tool>',
      ],
      { calls: [{ id: 'call_1', name: 'read', server: 'm', arguments: { path: 'a' } }], malformed: [] },
    ],
    [
      'then hermes',
      ['<tool_call>{"name":"read","arguments":{}}</tool_call>'],
      { calls: [{ id: 'call_1', name: 'read', arguments: {} }], malformed: [] },
    ],
    [
      'the calls of a completion',
      [[{ id: 'x', type: 'function', function: { name: 'm-read', arguments: '{"path":"a"}' } }]],
      { calls: [{ id: 'x', name: 'read', server: 'm', arguments: { path: 'a' } }], malformed: [] },
    ],
    [
      'the output of a response',
      [[{ type: 'function_call', call_id: 'y', name: 'read', arguments: '' }]],
      { calls: [{ id: 'y', name: 'read', arguments: {} }], malformed: [] },
    ],
    [
      'a whole call beside a broken one',
      ['<tool_call>{"name":"read","arguments":{}}</tool_call><tool_call>nothing</tool_call>', 'hermes'],
      { calls: [{ name: 'read' }], malformed: [{ raw: expect.any(String), reason: expect.any(String) }] },
    ],
    [
      'a call whose end is missing after whole JSON',
      ['<tool_call>{"name":"read","arguments":{}}', 'hermes'],
      { calls: [{ name: 'read', arguments: {} }], malformed: [] },
    ],
    [
      'no call in a thought or a fence',
      [
        '<think><tool_call>{"name":"a","arguments":{}}</tool_call></think>\n```\n<tool_call>{"name":"b","arguments":{}}</tool_call>\n```\n',
        'hermes',
      ],
      { calls: [], malformed: [] },
    ],
  ])('%s', (_name, args, expected) => {
    expect(parseToolCalls(...args)).toMatchObject(expected)
  })

  it.each<[string, ReturnType<typeof safeJsonLoads>]>([
    ['', { ok: true, value: {} }],
    ['{"a":1}', { ok: true, value: { a: 1 } }],
    ['[1]', { ok: false, error: 'Failed to parse arguments', raw: '[1]' }],
    ['no', { ok: false, error: 'Failed to parse arguments', raw: 'no' }],
  ])('reads arguments: %j', (text, expected) => {
    expect(safeJsonLoads(text)).toEqual(expected)
  })

  it.each<readonly [string, string | undefined]>([
    ['so \\boxed{ 42 }', '42'],
    ['\\boxed{1} then \\boxed{\\frac{1}{2}}', '\\frac{1}{2}'],
    ['\\boxed{1} then \\boxed{2', '1'],
    ...['?', '??', '???', '？', '...', '…', '……', 'Unknown', ' '].map(
      (none) => [`\\boxed{${none}}`, undefined] as const,
    ),
    ['none', undefined],
  ])('finds the box of %j', (text, expected) => {
    expect(extractBoxed(text)).toBe(expected)
  })
})

describe('a cycle', () => {
  it('has these methods', () => {
    type Cycle = InstanceType<typeof LlmCycle>
    expectTypeOf<Cycle['submitWithTools']>().parameter(0).toEqualTypeOf<string>()
    expectTypeOf<ToolRegistry>().toExtend<Parameters<Cycle['submitWithTools']>[1]>()
    expectTypeOf<Cycle['submitWithTools']>().returns.toEqualTypeOf<Promise<TurnResult>>()
    expectTypeOf<Cycle['submitStream']>().returns.toEqualTypeOf<TurnRun>()
    expectTypeOf<Cycle['object']>().returns.toEqualTypeOf<Promise<JsonObject>>()
    expectTypeOf<TurnRun>().toExtend<
      AsyncIterable<TurnEvent> & { result: Promise<TurnResult>; cancel(): void }
    >()
  })

  it('runs tools to an answer', async () => {
    expect(await openCycle(asking, '5').submitWithTools('2 + 3?', registry())).toEqual({
      message: { role: 'assistant', content: '5' },
      endedBy: 'answer',
      usage: expect.objectContaining({ inputTokens: expect.any(Number), outputTokens: expect.any(Number) }),
      steps: 2,
      toolCalls: 1,
    })
  })

  it('tells what happens, and ends when it is told to', async () => {
    const run = openCycle(asking, '5').submitStream('2 + 3?', registry())
    const types = []
    for await (const { type } of run) types.push(type)
    expect(types.filter((type) => type !== 'text.delta')).toEqual([
      ...['turn.started', 'step.started', 'usage', 'tool.called', 'tool.result'],
      ...['step.started', 'usage', 'turn.completed'],
    ])
    expect((await run.result).message.content).toBe('5')
    const cancelled = openCycle({ text: 'late', delayMs: 60_000 }).submitStream('2 + 3?')
    cancelled.cancel()
    await expect(cancelled.result).rejects.toMatchObject({ code: 'client_closed_request' })
    const told = []
    for await (const { type } of cancelled) told.push(type)
    expect(told.at(-1)).toBe('turn.cancelled')
  })

  it('answers with an object that fits', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    const question = [{ role: 'user' as const, content: 'n?' }]
    expect(await openCycle('{"n":"x"}', '```json\n{"n":5}\n```').object(schema, question)).toEqual({ n: 5 })
  })
})

describe('sessions of a program', () => {
  const events = ['preRequest', 'postRequest', 'preTool', 'postTool', 'onTurnStart', 'onTurnEnd'] as const
  function build(told: HookContext[] = []): RuntimeBundle {
    const hooks = new HookExecutor()
    for (const event of events) hooks.register(event, (context) => void told.push(context))
    return new AgentBuilder()
      .provider(createScriptedModel([asking, '5', 'six']))
      .toolRegistry(registry())
      .hookExecutor(hooks)
      .memoryStore(new InMemoryStore())
      .retriever(new MemoryRetriever(new KnowledgeStore(new InMemoryStore())))
      .sessionMemoryBackend(new InMemoryStore())
      .config({ model: 'scripted' })
      .build()
  }

  it('have these defaults', () => {
    expect(DEFAULT_AGENT_CONFIG).toMatchObject({ maxTurns: 50, maxToolTurns: 10, sessionTtl: undefined })
    expect(DEFAULT_LIMITS).toEqual({
      maxTurns: 50,
      maxToolTurns: 10,
      maxCallsPerTurn: 10,
      maxSteps: 60,
      maxMs: 600_000,
    })
  })

  it('count turns from 0, their usage, and keep what they are told', async () => {
    const session = new AgentSession(helper, 's', build())
    expect([session.turnIndex, session.usage.usage.inputTokens]).toEqual([0, 0])
    const first = await session.submitTurn('2 + 3?')
    expect(first).toMatchObject({ message: { content: '5' }, endedBy: 'answer', steps: 2, toolCalls: 1 })
    await session.submitTurn('and one more?')
    expect(session.turnIndex).toBe(2)
    expect(session.usage.usage.inputTokens).toBeGreaterThan(first.usage.inputTokens)
    await session.setSessionData('units', 'metric')
    expect(await session.getSessionData('units')).toBe('metric')
    expect(await session.sessionMemory.get('units')).toBe('metric')
    expect(session.agent).toBe(helper)
  })

  it('need no more of a model than its answers', async () => {
    const scripted = createScriptedModel(['5'])
    const model: AnsweringModel = {
      complete: (request, options) => scripted.complete(request, options),
      stream: (request, options) => scripted.stream(request, options),
    }
    const bundle = new AgentBuilder()
      .provider(model)
      .toolRegistry(registry())
      .hookExecutor(new HookExecutor())
      .config({ model: 'scripted' })
      .build()
    const turn = await new AgentSession(helper, 's', bundle).submitTurn('2 + 3?')
    expect(turn).toMatchObject({ message: { content: '5' }, endedBy: 'answer' })
  })

  it('tell hooks what the event is about', async () => {
    const told: HookContext[] = []
    await new AgentSession(helper, 's', build(told)).submitTurn('2 + 3?')
    expect(told.map(({ event }) => event)).toEqual([
      ...['onTurnStart', 'preRequest', 'postRequest', 'preTool', 'postTool'],
      ...['preRequest', 'postRequest', 'onTurnEnd'],
    ])
    const of = (event: string) => told.find((each) => each.event === event)
    expect([of('onTurnStart')?.turnIndex, of('onTurnEnd')?.turnIndex]).toEqual([0, 0])
    expect(of('preRequest')?.request).toMatchObject({ model: 'scripted', messages: expect.any(Array) })
    expect(of('postRequest')?.response).toMatchObject({ choices: expect.any(Array) })
    expect(of('preTool')?.call).toMatchObject({ name: 'add', arguments: { a: 2, b: 3 } })
    expect(of('postTool')?.outcome).toMatchObject({ ok: true, value: 5 })
  })

  it('have a tool for their retriever, and each tool once', () => {
    const { toolRegistry, provider } = build()
    expectTypeOf(provider).toEqualTypeOf<AnsweringModel>()
    expect(toolRegistry.listTools()).toEqual(['add', 'retrieve'])
    expect(() => toolRegistry.register({ name: 'add', execute: () => 1 })).toThrow(
      expect.objectContaining({ code: 'already_exists' }),
    )
  })

  it('ask who may call what', () => {
    const checker = new PermissionChecker(PermissionConfig.whiteList(['m.read']))
    expect([checker.decide('m_read'), checker.decide('m_write')]).toEqual(['allow', 'deny'])
  })
})

it('a plan is read from JSON', async () => {
  const plan = await new JsonPlanParser().parse('{"steps":[{"description":"Look"}]}', 'find it')
  expectTypeOf(plan).toEqualTypeOf<Plan>()
  expect(plan).toMatchObject({
    goal: 'find it',
    steps: [{ index: 0, description: 'Look', dependencies: [], attempts: 0, status: { s: 'pending' } }],
  })
  await expect(new JsonPlanParser().parse('{"steps":[]}', 'x')).rejects.toMatchObject({
    code: 'invalid_plan',
  })
})

it.each([
  ['rate_limited', true],
  ['llm_bad_response', true],
  ['tool_failed', true],
  ['memory_not_found', true],
  ['turn_interrupted', true],
  ['hook_blocked', false],
  ['limit_exceeded', false],
  ['invalid_config', false],
  ['invalid_plan', false],
  ['state_unavailable', false],
] as const)('whether another try may help: %s %s', (code, expected) => {
  expect(isRecoverable(new ServiceError(code, 'x'))).toBe(expected)
})
