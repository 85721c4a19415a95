import { randomUUID } from 'node:crypto'
import Type from 'typebox'
import { beforeEach, describe, expect, expectTypeOf, inject, it } from 'vitest'
import * as z from 'zod'
import {
  type Agent,
  AgentBuilder,
  AgentSession,
  type AnsweringModel,
  type ApprovalQuestion,
  type Approve,
  type BaseTool,
  ConversationMemory,
  createMemoryState,
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
  type MemoryStore,
  type Message,
  modelFrom,
  modelsByName,
  openModel,
  openSessions,
  PermissionChecker,
  PermissionConfig,
  type Plan,
  type PlanParser,
  type ProgramSessionsOptions,
  parseToolCalls,
  type RuntimeBundle,
  runReflectiveTask,
  ServiceError,
  type SessionStore,
  type StandardSchema,
  safeJsonLoads,
  TaskAgent,
  type TaskEvent,
  TaskPhases,
  ToolRegistry,
  type TurnEvent,
  type TurnResult,
  type TurnRun,
  tool,
  toolProtocol,
} from '../../../src/agent.js'
import { completion, createScriptedModel, startScriptedUpstream } from '../../../src/testing.js'
import type { JsonValue } from '../../../src/util/json/json.js'

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
      'a whole response',
      [{ id: 'r', output: [{ type: 'function_call', call_id: 'y', name: 'read', arguments: '' }] }],
      { calls: [{ id: 'y', name: 'read', arguments: {} }], malformed: [] },
    ],
    [
      'a whole completion',
      [
        {
          choices: [{ message: { tool_calls: [{ id: 'x', function: { name: 'read', arguments: '{}' } }] } }],
        },
      ],
      { calls: [{ id: 'x', name: 'read', arguments: {} }], malformed: [] },
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
    expectTypeOf<TurnRun>().toExtend<
      AsyncIterable<TurnEvent> & { result: Promise<TurnResult>; cancel(): void }
    >()
  })

  it('runs tools to an answer', async () => {
    expect(await openCycle(asking, '5').submitWithTools('2 + 3?', registry())).toEqual({
      message: { role: 'assistant', content: '5' },
      text: '5',
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

describe('a typed tool', () => {
  const context = { requestId: 'r', signal: new AbortController().signal }
  const fields = { city: { type: 'string' }, days: { type: 'integer' } } as const
  const isWeather = (value: unknown): value is { city: string; days?: number } =>
    typeof value === 'object' && value !== null && 'city' in value
  const standardSchema: StandardSchema<{ city: string; days?: number }> = {
    '~standard': {
      version: 1,
      vendor: 'ours',
      validate: (value) => (isWeather(value) ? { value } : { issues: [{ message: 'no weather' }] }),
      jsonSchema: { input: () => ({ type: 'object', properties: fields, required: ['city'] }) },
    },
  }
  const rows = {
    'a JSON Schema': tool({
      name: 'weather',
      parameters: { type: 'object', properties: fields, required: ['city'] },
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number }>()
        return args
      },
    }),
    TypeBox: tool({
      name: 'weather',
      parameters: Type.Object({ city: Type.String(), days: Type.Optional(Type.Integer()) }),
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number }>()
        return args
      },
    }),
    zod: tool({
      name: 'weather',
      parameters: z.object({ city: z.string(), days: z.int().optional() }),
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number | undefined }>()
        return args
      },
    }),
    'any Standard Schema': tool({
      name: 'weather',
      parameters: standardSchema,
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number }>()
        return args
      },
    }),
  }

  it.each(Object.entries(rows))('by %s: what models are told, and what is refused', async (_name, made) => {
    expect(made.parameters).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    })
    const registry = new ToolRegistry().register(made)
    expect(await registry.invoke('weather', { city: 'Bonn' })).toEqual({ city: 'Bonn' })
    await expect(registry.invoke('weather', { days: 1 })).rejects.toMatchObject({
      code: 'tool_failed',
      details: { code: 'invalid_arguments' },
    })
  })

  it('gets what its schema makes of the arguments, and the rules that JSON Schema does not know', async () => {
    const even = z.object({
      n: z.number().refine((n) => n % 2 === 0, 'must be even'),
      unit: z.string().default('m'),
    })
    const made = tool({ name: 'half', parameters: even, execute: ({ n, unit }) => `${n / 2} ${unit}` })
    expect(await made.call({ n: 4 }, context)).toMatchObject({ ok: true, value: '2 m' })
    const refused = { ok: false, code: 'invalid_arguments', message: expect.stringContaining('must be even') }
    expect(await made.call({ n: 3 }, context)).toMatchObject(refused)
  })

  it.each<[string, () => unknown, JsonValue]>([
    ['nothing', () => undefined, null],
    ['a date', () => ({ at: new Date(0) }), { at: '1970-01-01T00:00:00.000Z' }],
    ['an object of a class', () => new URL('http://a.example/'), 'http://a.example/'],
    ['a field without a value', async () => ({ a: 1, b: undefined }), { a: 1 }],
  ])('may answer with %s', async (_name, execute, value) => {
    expect(await tool({ name: 'any', execute }).call({}, context)).toMatchObject({ ok: true, value })
  })

  it.each<[string, object, string]>([
    ['a name that models cannot say', { name: 'a b', execute: () => 1 }, 'A tool cannot be named "a b"'],
    ['no name', { execute: () => 1 }, 'cannot be named'],
    ['no function', { name: 'a' }, 'has no function'],
    [
      'a schema that cannot be shown to a model',
      {
        name: 'a',
        parameters: { '~standard': { version: 1, vendor: 'valibot', validate: () => ({ value: 1 }) } },
        execute: () => 1,
      },
      'toStandardJsonSchema',
    ],
  ])('is refused for %s', (_name, given, message) => {
    expect(() => new ToolRegistry().register(given as BaseTool)).toThrow(
      expect.objectContaining({ code: 'invalid_config', message: expect.stringContaining(message) }),
    )
  })
})

describe('a typed object', () => {
  it.each([
    ['a JSON Schema', { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const],
    ['zod', z.object({ n: z.int() })],
  ])('by %s', async (_name, schema) => {
    const answer = await openCycle('{"n":"x"}', '{"n":5}').object(schema, 'n?')
    expectTypeOf(answer).toEqualTypeOf<{ n: number }>()
    expect(answer.n).toBe(5)
  })

  it('is asked for again where only its library finds the mistake', async () => {
    const schema = z.object({ n: z.number().refine((n) => n > 3, 'must be more than 3') })
    expect(await openCycle('{"n":2}', '{"n":5}').object(schema, 'n?')).toEqual({ n: 5 })
  })
})

describe('the five tasks of the documentation have inferred types', () => {
  const model = createScriptedModel(['{"city":"Bonn","inhabitants":331000}'])

  it('ask, and a tool', async () => {
    const { text } = await new LlmCycle(model).submit('Hi')
    expectTypeOf(text).toEqualTypeOf<string>()
    new ToolRegistry().register({
      name: 'add',
      parameters: {
        type: 'object',
        properties: { a: { type: 'number' }, unit: { enum: ['m', 'km'] } },
        required: ['a'],
      },
      execute: ({ a, unit }) => {
        expectTypeOf(a).toEqualTypeOf<number>()
        expectTypeOf(unit).toEqualTypeOf<'m' | 'km' | undefined>()
        return a + 1
      },
    })
  })

  it('stream', async () => {
    const run = new LlmCycle(model).submitStream('Tell me a story')
    for await (const event of run) {
      if (event.type === 'text.delta') expectTypeOf(event.text).toEqualTypeOf<string>()
      if (event.type === 'tool.called') expectTypeOf(event.call.name).toEqualTypeOf<string>()
      if (event.type === 'turn.completed') expectTypeOf(event.result.endedBy).toBeString()
    }
    expectTypeOf(await run.result).toEqualTypeOf<TurnResult>()
  })

  it('a typed object', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, inhabitants: { type: 'integer' } },
      required: ['city', 'inhabitants'],
    } as const
    const answer = await new LlmCycle(model).object(schema, 'A city on the Rhine')
    expectTypeOf(answer).toEqualTypeOf<{ city: string; inhabitants: number }>()
    expect(answer).toEqual({ city: 'Bonn', inhabitants: 331_000 })
  })

  it('approval', () => {
    const cycle = new LlmCycle(model, {
      approve: (question) => {
        expectTypeOf(question).toEqualTypeOf<ApprovalQuestion>()
        expectTypeOf(question.arguments).toEqualTypeOf<JsonObject>()
        return question.tool === 'remove'
      },
    })
    expectTypeOf(cycle.submitWithTools).returns.resolves.toHaveProperty('text').toEqualTypeOf<string>()
    // A promise, other arguments and a reason are answers, too; a word is none.
    expectTypeOf<Promise<boolean>>().toExtend<ReturnType<Approve>>()
    expectTypeOf<{ decision: 'reject'; reason: string }>().toExtend<ReturnType<Approve>>()
    expectTypeOf<'yes'>().not.toExtend<ReturnType<Approve>>()
  })
})

describe('the events of a program', () => {
  it('have names in camelCase, and leave the names of others alone', async () => {
    const tools = new ToolRegistry().register({ name: 'echo', execute: (args) => args })
    const calls = { toolCalls: [{ name: 'echo', arguments: { snake_case: { deep_name: 1 } } }] }
    const run = openCycle(calls, 'done').submitStream('go', tools)
    const events = []
    for await (const event of run) {
      events.push(event)
      if (event.type === 'tool.result') expectTypeOf(event.durationMs).toEqualTypeOf<number>()
    }
    expect(events.find(({ type }) => type === 'tool.called')).toMatchObject({
      call: { arguments: { snake_case: { deep_name: 1 } } },
    })
    expect(events.find(({ type }) => type === 'tool.result')).toMatchObject({ callId: expect.any(String) })
    expect(events.at(-1)).toMatchObject({
      type: 'turn.completed',
      result: { endedBy: 'answer', toolCalls: 1, usage: { inputTokens: expect.any(Number) } },
    })
    const names = events.flatMap((event) => Object.keys(event))
    expect(names.filter((name) => name.includes('_'))).toEqual([])
  })
})

describe('a model of a program', () => {
  const question = { model: 'any', messages: [{ role: 'user' as const, content: 'hi' }] }
  const options = { requestId: 'r', signal: new AbortController().signal }

  it('is one function', async () => {
    const cycle = new LlmCycle(modelFrom(({ messages }) => `you said ${messages.at(-1)?.content}`))
    expect((await cycle.submit('hi')).text).toBe('you said hi')
    expect((await cycle.submitStream('ho').result).text).toBe('you said ho')
  })

  it('may be an object of a class', async () => {
    class Parrot {
      readonly #says = 'hi'
      generate() {
        return this.#says
      }
      async *stream() {
        yield* this.#says
      }
    }
    const cycle = new LlmCycle(modelFrom(new Parrot()))
    expect((await cycle.submit('x')).text).toBe('hi')
    expect((await cycle.submitStream('y').result).text).toBe('hi')
  })

  it('calls tools, streams in pieces, and tells what it used', async () => {
    const model = modelFrom({
      name: 'mine',
      generate: () => ({ text: 'not asked' }),
      async *stream({ messages, tools }) {
        if (messages.at(-1)?.role === 'tool')
          yield* ['it ', { text: 'is 5', usage: { inputTokens: 7, outputTokens: 2 } }]
        else {
          expect(tools).toMatchObject([{ function: { name: 'add' } }])
          yield { toolCalls: [{ name: 'add', arguments: { a: 2, b: 3 } }] }
        }
      },
    })
    const run = new LlmCycle(model).submitStream('2 + 3?', registry())
    const deltas = []
    for await (const event of run) if (event.type === 'text.delta') deltas.push(event.text)
    expect(deltas).toEqual(['it ', 'is 5'])
    expect(await run.result).toMatchObject({ text: 'it is 5', toolCalls: 1, usage: { inputTokens: 7 } })
  })

  it('takes the shape of a provider that answers with messages', async () => {
    const model = modelFrom(async () => ({
      message: { role: 'assistant', content: 'hello' },
      usage: { inputTokens: 3, outputTokens: 1 },
    }))
    expect(await new LlmCycle(model).submitWithTools('hi', registry())).toMatchObject({
      text: 'hello',
      usage: { inputTokens: 3, outputTokens: 1, cachedTokens: 0 },
    })
  })

  it('fails as a model does, whole and streamed', async () => {
    const model = modelFrom({
      name: 'mine',
      generate() {
        throw new Error('no power')
      },
    })
    const failure = { code: 'llm_unavailable', message: 'The model "mine" failed: no power' }
    await expect(model.complete(question, options)).rejects.toMatchObject(failure)
    await expect(model.stream(question, options)).rejects.toMatchObject(failure)
  })

  it('is one of several by its name', async () => {
    const asked: string[] = []
    const named = (name: string) =>
      modelFrom(({ model }) => {
        asked.push(`${name}:${model}`)
        return name
      })
    const models = modelsByName({ first: named('first'), local: named('local') })
    for (const model of ['local/qwen3', 'local', 'gpt-4o', 'other/x'])
      await models.complete({ ...question, model }, options)
    expect(asked).toEqual(['local:qwen3', 'local:default', 'first:gpt-4o', 'first:other/x'])
    expect(() => modelsByName({})).toThrow(expect.objectContaining({ code: 'invalid_config' }))
  })

  it('at an endpoint has a name or is refused: nobody gets an echo instead', async () => {
    const upstream = await startScriptedUpstream(completion('4'))
    const address = { baseUrl: upstream.url, apiKey: 'k' }
    const parts = (model: AnsweringModel) =>
      new AgentBuilder().provider(model).toolRegistry(registry()).hookExecutor(new HookExecutor())
    const [unnamed, named] = [openModel(address), openModel({ ...address, model: 'gpt-4o-mini' })]
    try {
      const missing = expect.objectContaining({
        code: 'invalid_config',
        message: expect.stringMatching(/^Missing model/),
      })
      expect(() => parts(unnamed).build()).toThrow(missing)
      expect(() => new LlmCycle(unnamed)).toThrow(missing)
      const session = new AgentSession(helper, 's', parts(named).build())
      expect((await session.submitTurn('2 + 2?')).text).toBe('4')
      const echo = parts(unnamed).config({ model: 'echo' }).build()
      expect((await new AgentSession(helper, 's', echo).submitTurn('2 + 2?')).text).toBe('4')
      expect(upstream.requests.map(({ body }) => body['model'])).toEqual(['gpt-4o-mini', 'echo'])
    } finally {
      await Promise.all([unnamed.close(), named.close(), upstream.close()])
    }
  })
})

describe('options that would do nothing are refused', () => {
  const model = createScriptedModel(['5'])
  const refused = (message: string) =>
    expect.objectContaining({ code: 'invalid_config', message: expect.stringContaining(message) })
  // Programs in JavaScript have no compiler.
  const untyped = (options: object): never => options as never

  it.each<[string, () => unknown]>([
    [
      'LlmCycle has no option "systemPromt". Did you mean',
      () => new LlmCycle(model, untyped({ systemPromt: '' })),
    ],
    ['Unknown agentRole "chef"', () => new LlmCycle(model, untyped({ agentRole: 'chef' }))],
    ['limits has no option "maxStep"', () => new LlmCycle(model, untyped({ limits: { maxStep: 1 } }))],
    ['guards has no option "loops"', () => new LlmCycle(model, untyped({ guards: { loops: false } }))],
    ['context has no option "windows"', () => new LlmCycle(model, untyped({ context: { windows: 9 } }))],
    [
      'context has no option "windowTokens"',
      () =>
        new AgentBuilder()
          .provider(model)
          .toolRegistry(registry())
          .hookExecutor(new HookExecutor())
          .config({ compactConfig: untyped({ windowTokens: 1 }) })
          .build(),
    ],
    [
      'A tool has no option "needsApproval"',
      () => tool(untyped({ name: 'pay', needsApproval: true, execute: () => 1 })),
    ],
    [
      'A tool has no option "timeout". Did you mean "timeoutMs"',
      () => registry().register(untyped({ name: 'pay', timeout: 1, execute: () => 1 })),
    ],
    ['openModel has no option "url"', () => openModel(untyped({ baseUrl: 'http://127.0.0.1:1', url: '' }))],
    ['pass generate', () => modelFrom(untyped({ chat: () => 'hi' }))],
    ['Unknown hook event "OnTurnStart"', () => new HookExecutor().register('OnTurnStart' as never, () => {})],
    ['is not a function', () => new HookExecutor().register('onTurnStart', untyped({ execute() {} }))],
    [
      'AgentConfig has no option "maxTurn"',
      () =>
        new AgentBuilder()
          .provider(model)
          .toolRegistry(registry())
          .hookExecutor(new HookExecutor())
          .config(untyped({ maxTurn: 1 }))
          .build(),
    ],
    [
      'ConversationMemory has no option "size"',
      () => new ConversationMemory(new InMemoryStore(), 's', untyped({ size: 1 })),
    ],
  ])('%s', (message, work) => {
    expect(work).toThrow(refused(message))
  })

  it.each<[string, object]>([
    ['runReflectiveTask has no option "timeout"', { timeout: 1 }],
    ['config has no option "rounds"', { config: { rounds: 1 } }],
    ['budget has no option "tokens"', { budget: { tokens: 1 } }],
    ['phases has no option "execute"', { phases: { execute: () => [] } }],
  ])('%s', async (message, given) => {
    const task = { provider: model, tools: registry(), description: 'd', ...given }
    await expect(runReflectiveTask(task)).rejects.toEqual(refused(message))
  })
})

it.each([
  ['config of openSessions has no option "approve"', { config: { approve: () => true } }],
  ['config of openSessions has no option "sessionTtl"', { config: { sessionTtl: 1 } }],
  ['openSessions has no option "store"', { store: {} }],
  ['at least one', { agents: [] }],
])('sessions of a program refuse what would do nothing: %s', async (message, given) => {
  const options = { provider: createScriptedModel(['5']), agents: [helper], config: { model: 'm' }, ...given }
  await expect(openSessions(options as never)).rejects.toMatchObject({
    code: 'invalid_config',
    message: expect.stringContaining(message),
  })
})

it('a tool of a class of its own may have what it likes', async () => {
  class Counter {
    readonly name = 'count'
    times = 0
    execute() {
      this.times += 1
      return this.times
    }
  }
  const made = new Counter()
  expect(await new ToolRegistry().register(made).invoke('count', {})).toBe(1)
})

describe('a session of a program', () => {
  const build = (
    model: AnsweringModel,
    config: Parameters<AgentBuilder['config']>[0] = {},
    store?: MemoryStore,
  ) => {
    const builder = new AgentBuilder()
      .provider(model)
      .toolRegistry(registry())
      .hookExecutor(new HookExecutor())
      .config(config)
    return (store === undefined ? builder : builder.memoryStore(store)).build()
  }

  it('keeps its memory in the store that its builder was given', async () => {
    const store = new InMemoryStore()
    const session = new AgentSession(helper, 's', build(createScriptedModel(['ok']), {}, store))
    await session.setSessionData('units', 'metric')
    expect((await store.list()).map(({ id }) => id)).toEqual(['_session_s:units'])
  })

  it('has the protocols, limits, roles and permissions of the loop', async () => {
    const call = '<tool_call>{"name":"add","arguments":{"a":1,"b":2}}</tool_call>'
    const model = createScriptedModel([call, 'three'])
    const config = { protocol: 'hermes', agentRole: 'browsing', limits: { maxSteps: 7 } } as const
    const session = new AgentSession(helper, 's', build(model, config))
    expect(await session.submitTurn('1 + 2?')).toMatchObject({ text: 'three', toolCalls: 1 })
    const [first] = model.requests
    expect(first?.['tools']).toBeUndefined()
    expect(JSON.stringify(first)).toContain('Find the information you are asked for')
    expect(JSON.stringify(first)).toContain('You help.')
    const denied = build(createScriptedModel([asking, 'no']), { permission: () => 'deny' })
    expect(await new AgentSession(helper, 's', denied).submitTurn('x')).toMatchObject({ toolCalls: 0 })
  })

  it('goes on with a conversation that was kept', async () => {
    const first = new AgentSession(helper, 's', build(createScriptedModel(['five'])))
    await first.submitTurn('2 + 3?')
    const model = createScriptedModel(['six'])
    const kept = JSON.parse(JSON.stringify(first.history))
    const next = new AgentSession(helper, 's', build(model)).resume(kept, 'helper')
    expect([next.turnIndex, next.messages.length]).toEqual([1, 2])
    await next.submitTurn('and one more?')
    expect(JSON.stringify(model.requests[0])).toContain('2 + 3?')
    expect(next.messages).toHaveLength(4)
  })
})

const STATES: readonly (readonly [string, () => ProgramSessionsOptions['state']])[] = [
  ['in memory', () => undefined],
  ['in Redis', () => ({ redisUrl: inject('redisUrl'), keyPrefix: `library-${randomUUID()}` })],
  ['in a store of its own', ownStore],
]

/** What sessions need of a store, and nothing else; here it keeps all in memory. */
function ownStore(): SessionStore {
  const kept = createMemoryState()
  return {
    status: kept.status,
    open: () => kept.open(),
    close: () => kept.close(),
    create: (request) => kept.create(request),
    read: (address) => kept.read(address),
    update: (address, head) => kept.update(address, head),
    list: (query) => kept.list(query),
    remove: (address) => kept.remove(address),
    claim: (request) => kept.claim(request),
    begin: (request) => kept.begin(request),
    commit: (lease, commit) => kept.commit(lease, commit),
    renew: (lease, n) => kept.renew(lease, n),
    cancel: (address, turn) => kept.cancel(address, turn),
    onCancel: (listener) => kept.onCancel(listener),
    turns: kept.turns,
    messages: kept.messages,
    memory: kept.memory,
    contexts: kept.contexts,
    approvals: kept.approvals,
    events: kept.events,
    openTurns: kept.openTurns,
  }
}

describe.each(STATES)('sessions of a program %s', (_name, stateOf) => {
  let state: ProgramSessionsOptions['state']
  beforeEach(() => {
    state = stateOf()
  })
  const pay = () => {
    const paid: number[] = []
    const tools = new ToolRegistry().register({
      name: 'pay',
      permission: 'ask',
      parameters: { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] },
      execute: ({ amount }) => void paid.push(amount),
    })
    return { tools, paid }
  }
  const paying = { toolCalls: [{ name: 'pay', arguments: { amount: 100 } }] }

  it('answer, remember, stream, and are the same by their id', async () => {
    const provider = createScriptedModel([asking, '5', 'six', 'and seven'])
    const sessions = await openSessions({ provider, agents: [helper], tools: registry(), state })
    try {
      const session = await sessions.open('s')
      expect(await session.submitTurn('2 + 3?')).toMatchObject({
        ...{ status: 'completed', text: '5', turn: 1, endedBy: 'answer', toolCalls: 1 },
        usage: { inputTokens: expect.any(Number) },
      })
      await session.setData('units', 'metric')
      const same = await sessions.open('s')
      const stream = same.streamTurn('and one more?')
      let text = ''
      let next = await stream.next()
      for (; next.done !== true; next = await stream.next())
        if (next.value.type === 'text.delta') text += next.value.text
      expect(next.value).toMatchObject({ status: 'completed', text: 'six' })
      expect(text).toBe('six')
      expect(await same.messages()).toHaveLength(6)
      expect(await same.getData('units')).toBe('metric')
      await same.submitTurn('and?')
      expect(JSON.stringify(provider.requests.at(-1))).toContain('units: metric')
      await expect(sessions.open('other', 'nobody')).rejects.toMatchObject({ code: 'agent_not_found' })
      await same.remove()
      expect(await (await sessions.open('s')).messages()).toEqual([])
    } finally {
      await sessions.close()
    }
  })

  it('have conversations beside each other, and pay for the summary that bridges two', async () => {
    const provider = createScriptedModel(['Köln, 300 €', 'In short: Köln', 'agreed'])
    const critic: Agent = { name: 'critic', systemPrompt: 'You judge.' }
    const sessions = await openSessions({ provider, agents: [helper, critic], tools: registry(), state })
    try {
      const session = await sessions.open()
      await session.submitTurn('plan a trip')
      const before = (await session.read()).usage.inputTokens
      await session.createContext('review', 'critic')
      await expect(session.createContext('review', 'helper')).rejects.toMatchObject({
        code: 'already_exists',
      })
      expect(await session.bridge('main', 'review')).toBe('In short: Köln')
      expect((await session.read()).usage.inputTokens).toBeGreaterThan(before)
      await session.switchContext('review')
      expect(await session.submitTurn('do you agree?')).toMatchObject({ text: 'agreed' })
      const last = JSON.stringify(provider.requests.at(-1))
      expect(last).toContain('You judge.')
      expect(last).toContain('context:main: In short: Köln')
      expect(last).not.toContain('plan a trip')
      expect(await session.contexts()).toEqual([
        { id: 'main', agent: 'helper', active: false, messages: 2 },
        { id: 'review', agent: 'critic', active: true, messages: 2 },
      ])
      await session.destroyContext('main')
      expect(await session.read()).toMatchObject({ activeContext: 'review', status: 'idle', turn: 2 })
      await expect(session.switchContext('main')).rejects.toMatchObject({ code: 'context_not_found' })
    } finally {
      await sessions.close()
    }
  })

  it.each([
    ['yes', true, [100], 'approved'],
    ['other arguments', { decision: 'edit', arguments: { amount: 1 } }, [1], 'approved'],
    ['no', false, [], 'rejected'],
  ] as const)('wait for people: %s', async (_answer, answer, expected, status) => {
    const { tools, paid } = pay()
    const provider = createScriptedModel([paying, 'done'])
    const sessions = await openSessions({ provider, agents: [helper], tools, state })
    try {
      const session = await sessions.open()
      const paused = await session.submitTurn('pay')
      if (paused.status !== 'paused') throw new Error('it did not ask')
      expect(paused.approvals).toMatchObject([{ tool: 'pay', arguments: { amount: 100 }, status: 'pending' }])
      expect(paid).toEqual([])
      const [approval] = paused.approvals
      expect(await session.decide(approval?.id ?? '', answer)).toMatchObject({ status })
      const types = []
      for await (const event of session.followTurn(1)) types.push(event.type)
      expect(types.at(-1)).toBe('turn.completed')
      expect(types).toContain('paused')
      expect(paid).toEqual(expected)
    } finally {
      await sessions.close()
    }
  })
})

it.each([
  ['in Redis', () => ({ redisUrl: inject('redisUrl'), keyPrefix: `library-${randomUUID()}` })],
  ['in a store of its own', ownStore],
] as const)('a session %s goes on in another program, questions included', async (_name, stateOf) => {
  const state = stateOf()
  const paid: unknown[] = []
  const tools = new ToolRegistry().register({
    name: 'pay',
    permission: 'ask',
    execute: (args) => void paid.push(args),
  })
  const provider = createScriptedModel([{ toolCalls: [{ name: 'pay', arguments: {} }] }, 'done'])
  const options = { provider, agents: [helper], tools, state }
  const first = await openSessions(options)
  expect(await (await first.open('s')).submitTurn('pay')).toMatchObject({ status: 'paused' })
  await first.close()
  const second = await openSessions(options)
  try {
    const session = await second.open('s')
    for (const { id } of await session.approvals()) await session.decide(id, true)
    for await (const event of session.followTurn(1)) expect(event.type).not.toBe('turn.failed')
    expect(paid).toEqual([{}])
    expect((await session.messages()).at(-1)?.content).toBe('done')
  } finally {
    await second.close()
  }
})

describe('a task agent', () => {
  const bundle = (model: AnsweringModel) =>
    new AgentBuilder().provider(model).toolRegistry(registry()).hookExecutor(new HookExecutor()).build()

  it('marks the plan that it is given, unless that is frozen', async () => {
    const agent = new TaskAgent(helper, bundle(createScriptedModel(['done'])))
    const plan = await new JsonPlanParser().parse('{"steps":[{"description":"Look"}]}', 'find it')
    const ended = await agent.executePlan(plan)
    expect(ended.steps[0]?.status).toEqual({ s: 'completed', output: 'done' })
    expect(plan.steps).toEqual(ended.steps)
    const frozen = Object.freeze(await new JsonPlanParser().parse('{"steps":[{"description":"Look"}]}', 'x'))
    expect((await agent.executePlan(frozen)).steps[0]?.status.s).toBe('completed')
    expect(frozen.steps[0]?.status.s).toBe('pending')
  })

  it('carries out a plan that a program writes, of descriptions alone', async () => {
    const agent = new TaskAgent(helper, bundle(createScriptedModel(['looked', 'bought'])))
    const plan = { steps: [{ description: 'Look' }, { description: 'Buy', dependencies: ['step_1'] }] }
    const ended = await agent.executePlan(plan)
    expect(ended).toMatchObject({ id: 'plan', steps: [{ id: 'step_1' }, { id: 'step_2', attempts: 1 }] })
    expect(plan.steps).toEqual(ended.steps)
  })

  it('takes plans of a parser that says no more than it has to', async () => {
    const parser: PlanParser = {
      parse: async (raw) => ({ steps: raw.split(';').map((description) => ({ description })) }),
    }
    const model = createScriptedModel(['look;buy', 'looked', 'bought'])
    const plan = await new TaskAgent(helper, bundle(model), parser).run('shop')
    expect(plan).toMatchObject({
      id: 'plan',
      goal: 'shop',
      steps: [
        { id: 'step_1', attempts: 1, status: { s: 'completed', output: 'looked' } },
        { id: 'step_2', dependencies: [], status: { s: 'completed', output: 'bought' } },
      ],
    })
  })
})

describe('a task of a program', () => {
  const step = { plan_id: 'p', steps: [{ step_id: 'a', description: 'a', tool_id: 'work' }] }
  const good = {
    overall_score: 96,
    is_successful: true,
    dimensions: { completeness: 96, correctness: 96, efficiency: 96, reliability: 96 },
  }
  const model = (...replies: readonly object[]) =>
    createScriptedModel(replies.map((each) => JSON.stringify(each)))
  const work = (permission?: 'ask') =>
    new ToolRegistry().register({ name: 'work', ...(permission && { permission }), execute: () => 'worked' })

  it('ends with an event and a result in the names of programs', async () => {
    const events: TaskEvent[] = []
    const result = await runReflectiveTask({
      provider: model(step, good),
      tools: work(),
      description: 'work',
      onEvent: (event) => events.push(event),
    })
    expect(result).toMatchObject({
      status: 'completed',
      endedBy: 'correctness',
      failureCount: 0,
      output: { text: 'worked' },
      usage: { inputTokens: expect.any(Number) },
    })
    expect(events.at(-1)).toMatchObject({ type: 'task.completed', result: { endedBy: 'correctness' } })
    expect(events.find(({ type }) => type === 'plan')).toMatchObject({
      plan: { steps: [{ toolId: 'work' }] },
    })
  })

  it('can be put together from its phases', async () => {
    const reflected = { should_replan: true, root_causes: ['haste'], lessons_learned: ['look twice'] }
    const provider = model(step, good, reflected)
    const phases = new TaskPhases({ provider, tools: work(), description: 'work' })
    const plan = await phases.plan()
    expect(plan.steps[0]).toMatchObject({ id: 'a', status: { s: 'pending' } })
    const done = await phases.execute(plan)
    expect(done.steps[0]).toMatchObject({ attempts: 1, status: { s: 'completed', output: 'worked' } })
    const evaluation = await phases.evaluate(done)
    expect(evaluation).toMatchObject({ overallScore: 96, isSuccessful: true })
    const reflection = await phases.reflect(done, evaluation)
    expect(reflection).toMatchObject({ shouldReplan: true, rootCauses: ['haste'] })
    expect(JSON.stringify(provider.requests[1])).toContain('worked')
    expect(JSON.stringify(provider.requests[2])).toContain('overall_score')
    await expect(
      new TaskPhases({ provider: model({}), tools: work(), description: 'x' }).plan(),
    ).rejects.toMatchObject({
      code: 'invalid_plan',
    })
  })

  it('ends when its time is over', async () => {
    const tools = new ToolRegistry().register({
      name: 'work',
      execute: (_args, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
    })
    const events: string[] = []
    const result = await runReflectiveTask({
      provider: model(step),
      tools,
      description: 'work',
      config: { taskTimeoutSecs: 0.05 },
      onEvent: ({ type }) => events.push(type),
    })
    expect(result).toMatchObject({ status: 'timed_out', endedBy: 'timeout', failureCount: 1 })
    expect(events.at(-1)).toBe('task.timed_out')
  })

  it.each<[string, boolean | undefined, string, number]>([
    ['asks a person, who says yes', true, 'completed', 0],
    ['asks a person, who says no', false, 'completed', 1],
    ['has nobody to ask', undefined, 'completed', 1],
  ])('%s', async (_name, reply, status, failureCount) => {
    const asked: string[] = []
    const result = await runReflectiveTask({
      provider: model(step, good),
      tools: work('ask'),
      description: 'work',
      ...(reply !== undefined && {
        approve: ({ tool: name }: ApprovalQuestion) => {
          asked.push(name)
          return reply
        },
      }),
    })
    expect(result).toMatchObject({ status, failureCount })
    expect(asked).toEqual(reply === undefined ? [] : ['work'])
  })

  it('says that it failed, and why, after too many failures', async () => {
    const result = await runReflectiveTask({
      provider: createScriptedModel(['no plan']),
      tools: work(),
      description: 'work',
      config: { maxConsecutiveFailures: 1 },
    })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'task_failed' } })
  })

  it('is cancelled by its signal, and tells so', async () => {
    const controller = new AbortController()
    const events: string[] = []
    const tools = new ToolRegistry().register({
      name: 'work',
      execute: () => {
        controller.abort(new Error('enough'))
        return new Promise(() => {})
      },
    })
    const task = runReflectiveTask({
      provider: model(step),
      tools,
      description: 'work',
      signal: controller.signal,
      onEvent: ({ type }) => events.push(type),
    })
    await expect(task).rejects.toThrow('enough')
    expect(events.at(-1)).toBe('task.cancelled')
  })
})
