import type { ServerResponse } from 'node:http'
import { status } from '@grpc/grpc-js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HookExecutor } from '../../../src/agents/hook-executor.js'
import { AgentTool } from '../../../src/agents/tools/agent-tool.js'
import { openMcpTools } from '../../../src/agents/tools/mcp-tools.js'
import { ServiceError } from '../../../src/errors.js'
import type { ToolDefinition } from '../../../src/registry/snapshot.js'
import { runTask } from '../../../src/tasks/run-task.js'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import { toTool } from '../../../src/tools/catalog-tools.js'
import { localTool } from '../../../src/tools/local-tool.js'
import type { ToolSettings } from '../../../src/tools/tool-settings.js'
import { createToolbox, type Permission, type Tool } from '../../../src/tools/toolbox.js'
import { createTools, type ToolsOptions } from '../../../src/tools/tools.js'
import type { JsonObject } from '../../../src/util/json/json.js'
import { systemClock } from '../../../src/util/time/clock.js'
import { freePort } from '../../support/free-port.js'
import { evaluation, phaseOf, taskStage } from '../../support/task-setup.js'
import { loopbackSettings, toolEntry } from '../../support/tool-entry.js'
import { startGrpcServer } from '../tools/grpc-server.js'
import { sendJson, startHttpServer } from '../tools/http-server.js'
import { startMcpServer } from '../tools/mcp-server.js'

const RETRIES = 2
const ALL = RETRIES + 1
/** Where an answer never comes. */
const LIMIT_MS = 400
/** Where one does, however slow the machine is. */
const PATIENCE_MS = 20_000
const never = () => new Promise<never>(() => {})
const CALL = { requestId: 'r', signal: new AbortController().signal }

interface Traits {
  readonly readOnly?: boolean
  readonly idempotent?: boolean
}

/** A tool that counts what it did, and says what went wrong. */
interface Failing {
  readonly tool: Tool
  readonly effects: () => number
}

let tools = 0

interface CatalogOptions {
  readonly settings?: Partial<ToolSettings>
  readonly options?: Partial<ToolsOptions>
  /** Asked before: the connection is there, and the time limit is the call's alone. */
  readonly warmedBy?: ToolDefinition['connection']
}

async function catalogTool(
  connection: ToolDefinition['connection'],
  more: Partial<ToolDefinition>,
  { settings = {}, options = {}, warmedBy }: CatalogOptions = {},
): Promise<Tool> {
  tools += 1
  const all = createTools({ settings: loopbackSettings(settings), ...options })
  onTestFinished(() => all.close())
  const parameters: JsonObject = { type: 'object' }
  const made = (id: string, definition: Partial<ToolDefinition>) =>
    toTool(toolEntry(id, { parameters, ...definition }), all.caller, {})
  if (warmedBy !== undefined)
    expect(await made('pay.look', { connection: warmedBy }).call({}, CALL)).toMatchObject({ ok: true })
  return made(`pay.act${tools}`, { connection, ...more })
}

function acting(name: string, traits: Traits, act: () => unknown): Failing {
  let count = 0
  const tool = localTool({
    ...{ name, ...traits, timeoutMs: act === never ? LIMIT_MS : PATIENCE_MS },
    execute() {
      count += 1
      return act()
    },
  })
  return { tool, effects: () => count }
}

function agentThat(fails: () => never, traits: Traits): Failing {
  let count = 0
  const reading = localTool({ name: 'read', readOnly: true, execute: () => 1 })
  const writing = localTool({ name: 'write', execute: () => 1 })
  const tool = new AgentTool({
    id: 'clerk',
    description: 'Pays',
    async run() {
      count += 1
      return fails()
    },
    tools: () => (traits.readOnly === true ? [reading] : [reading, writing]),
  })
  return { tool, effects: () => count }
}

type Answer = (response: ServerResponse) => void

async function rest(traits: Traits, answer: Answer, settings: Partial<ToolSettings> = {}): Promise<Failing> {
  let count = 0
  const server = await startHttpServer((request, response) => {
    if (request.url === '/look') return sendJson(response, {})
    count += 1
    answer(response)
  })
  onTestFinished(() => server.close())
  const connection = (path: string) =>
    ({ type: 'restful', url: `${server.url}/${path}`, method: 'POST' }) as const
  const limited = { ...traits, timeoutMs: answer === silent ? LIMIT_MS : PATIENCE_MS }
  const tool = await catalogTool(connection('act'), limited, { settings, warmedBy: connection('look') })
  return { tool, effects: () => count }
}

async function grpc(traits: Traits, code: status | undefined, details = 'no'): Promise<Failing> {
  let count = 0
  const server = await startGrpcServer({
    act: (_call, callback) => {
      count += 1
      if (code !== undefined) callback({ code, details })
    },
  })
  onTestFinished(() => server.close())
  const connection = (method: string) =>
    ({ type: 'grpc', url: `127.0.0.1:${server.port}`, method: `test.lookup.Lookup/${method}` }) as const
  const limited = { ...traits, timeoutMs: code === undefined ? LIMIT_MS : PATIENCE_MS }
  const tool = await catalogTool(connection('Act'), limited, { warmedBy: connection('Find') })
  return { tool, effects: () => count }
}

type Rewrite = (response: Response) => Promise<Response>

async function mcp(
  traits: Traits,
  run: () => Promise<never> | { readonly isError: boolean; readonly content: never[] },
  rewrite: Rewrite = async (response) => response,
  isOfProgram = false,
): Promise<Failing> {
  let count = 0
  const server = await startMcpServer(
    'sessions',
    0,
    async (response) => (count > 0 ? rewrite(response) : response),
    {
      ...(traits.readOnly === true && { readOnlyHint: true }),
      ...(traits.idempotent === true && { idempotentHint: true }),
      run: () => {
        count += 1
        return run()
      },
    },
  )
  onTestFinished(() => server.close())
  const effects = () => count
  if (isOfProgram) {
    const opened = await openMcpTools({ name: 'bank', url: server.endpoint })
    onTestFinished(() => opened.close())
    const tool = opened.tools.find(({ name }) => name === 'bank_act')
    if (tool === undefined) throw new Error('the server has no such tool')
    return { tool: { ...tool, timeoutMs: PATIENCE_MS }, effects }
  }
  const connection = (tool: string) =>
    ({ type: 'mcp', url: server.endpoint, server: undefined, tool }) as const
  const limited = { ...traits, timeoutMs: run === never ? LIMIT_MS : PATIENCE_MS }
  return { tool: await catalogTool(connection('act'), limited, { warmedBy: connection('echo') }), effects }
}

const failedText = { isError: true, content: [] }
/** Puts another answer in the place of a call's: what asks for the session afterwards gets its own. */
const answering =
  (answer: (id: string) => Response): Rewrite =>
  async (response) => {
    const text = await response.clone().text()
    return text.includes('"content"') ? answer(/"id":(\d+)/.exec(text)?.[1] ?? '0') : response
  }
const statusOnly = (code: number) =>
  answering(() => new Response('The session of the customer is over', { status: code }))
const refusedBy = (code: number) =>
  answering((id) => {
    const body = `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"Not connected to the bank"}}`
    return new Response(body, { headers: { 'content-type': 'application/json' } })
  })

/** What a tool may say or do after it was asked, by the kind of tool. */
const FAILURES: readonly (readonly [
  kind: string,
  failure: string,
  open: (traits: Traits) => Failing | Promise<Failing>,
])[] = [
  ['a function', 'throws', (traits) => acting('act', traits, fail('the receipt was not stored'))],
  ['a function', 'says that it is forbidden', (traits) => acting('act', traits, fail('no', 'forbidden'))],
  ['a function', 'says that it is overloaded', (traits) => acting('act', traits, fail('no', 'overloaded'))],
  ['a function', 'fails like a refused connection', (traits) => acting('act', traits, refusedConnection)],
  ['a function', 'never answers', (traits) => acting('act', traits, never)],
  ['REST', 'answers 400', (traits) => rest(traits, (response) => sendJson(response, {}, 400))],
  ['REST', 'answers 403', (traits) => rest(traits, (response) => sendJson(response, {}, 403))],
  ['REST', 'answers 429', (traits) => rest(traits, (response) => sendJson(response, {}, 429))],
  ['REST', 'answers 500', (traits) => rest(traits, (response) => sendJson(response, {}, 500))],
  ['REST', 'answers 503', (traits) => rest(traits, (response) => sendJson(response, {}, 503))],
  ['REST', 'breaks the connection', (traits) => rest(traits, (response) => response.socket?.destroy())],
  ['REST', 'never answers', (traits) => rest(traits, silent)],
  ['REST', 'answers what is no JSON', (traits) => rest(traits, garbled)],
  ['REST', 'leads to where nobody listens', (traits) => rest(traits, redirect, { maxRedirects: 1 })],
  ['REST', 'answers more than is read in time', tooBusyToRead],
  ['gRPC', 'answers INVALID_ARGUMENT', (traits) => grpc(traits, status.INVALID_ARGUMENT)],
  ['gRPC', 'answers PERMISSION_DENIED', (traits) => grpc(traits, status.PERMISSION_DENIED)],
  ['gRPC', 'answers RESOURCE_EXHAUSTED', (traits) => grpc(traits, status.RESOURCE_EXHAUSTED)],
  ['gRPC', 'answers INTERNAL', (traits) => grpc(traits, status.INTERNAL)],
  ['gRPC', 'answers UNAVAILABLE', (traits) => grpc(traits, status.UNAVAILABLE)],
  ...['failed to connect to the ledger', 'No connection established'].map(
    (words) =>
      [
        'gRPC',
        `answers UNAVAILABLE and "${words}"`,
        (traits: Traits) => grpc(traits, status.UNAVAILABLE, words),
      ] as const,
  ),
  ['gRPC', 'never answers', (traits) => grpc(traits, undefined)],
  ['MCP', 'answers isError', (traits) => mcp(traits, () => failedText)],
  ['MCP', 'answers a JSON-RPC error', (traits) => mcp(traits, () => failedText, refusedBy(-32_602))],
  ['MCP', 'answers an internal error', (traits) => mcp(traits, () => failedText, refusedBy(-32_603))],
  ['MCP', 'answers 400 about a session', (traits) => mcp(traits, () => failedText, statusOnly(400))],
  ['MCP', 'answers 404', (traits) => mcp(traits, () => failedText, statusOnly(404))],
  ['MCP', 'answers 500', (traits) => mcp(traits, () => failedText, statusOnly(500))],
  ['MCP', 'never answers', (traits) => mcp(traits, never)],
  ['MCP in a program', 'answers isError', (traits) => mcp(traits, () => failedText, undefined, true)],
  [
    'MCP in a program',
    'answers 400 about a session',
    (traits) => mcp(traits, () => failedText, statusOnly(400), true),
  ],
]

/** The same for agents, whose tools say whether they may be asked again. */
const AGENTS = [
  ['throws', fail('it gave up')],
  ['is forbidden something', fail('no', 'forbidden')],
] as const

function fail(message: string, code?: 'forbidden' | 'overloaded'): () => never {
  return () => {
    throw code === undefined ? new Error(message) : new ServiceError(code, message)
  }
}

function refusedConnection(): never {
  throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })
}

function silent(): void {}

const garbled: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"half":')
}

const redirect: Answer = (response) => {
  response.writeHead(303, { location: 'http://127.0.0.1:1/receipt' }).end()
}

/** The service has no time left for the answer, which has come. */
async function tooBusyToRead(traits: Traits): Promise<Failing> {
  let count = 0
  const server = await startHttpServer((_request, response) => {
    count += 1
    sendJson(
      response,
      Array.from({ length: 50_000 }, (_, index) => index),
    )
  })
  onTestFinished(() => server.close())
  const connection = { type: 'restful', url: `${server.url}/act`, method: 'POST' } as const
  const doForeign = () => {
    throw new ServiceError('overloaded', 'too much work')
  }
  return { tool: await catalogTool(connection, traits, { options: { doForeign } }), effects: () => count }
}

interface Carried {
  readonly attempts: number
  readonly status: object
  readonly keys: readonly string[]
}

/** Carries out one step that calls the tool, and again as far as the rules allow. */
async function carryOut(tool: Tool, more: CarryOptions = {}): Promise<Carried> {
  const { parameters = {}, permission = () => 'allow', hooks = new HookExecutor() } = more
  const steps = [{ step_id: 'a', step_name: 'act', tool_id: tool.name, parameters }]
  const model = createScriptedModel([
    (request) =>
      JSON.stringify(phaseOf(request) === 'plan' ? { plan_id: 'p', steps } : evaluation(95, 98, true)),
  ])
  const keys: string[] = []
  const call: Tool['call'] = (args, context) => {
    keys.push(String(context.idempotencyKey))
    return tool.call(args, context)
  }
  // An agent is called in a way of its own.
  const watched: Tool = tool instanceof AgentTool ? tool : Object.create(tool, { call: { value: call } })
  const { setup, progress } = taskStage({
    ...{ model, hooks, agent: { toolbox: createToolbox([watched]), permission } },
    config: { maxStepRetries: RETRIES, enableStepLevelReflection: false },
  })
  await runTask(
    { ...setup, clock: { ...systemClock, sleep: async () => {} }, toolTimeoutMs: PATIENCE_MS },
    progress,
  )
  const [step] = progress.plan.steps
  return { attempts: step?.attempts ?? 0, status: step?.status ?? {}, keys }
}

interface CarryOptions {
  readonly parameters?: JsonObject
  readonly permission?: (tool: Tool) => Permission
  readonly hooks?: HookExecutor
}

describe.each(FAILURES)('%s that %s', (_kind, _failure, open) => {
  it('was asked once, whatever it says', async () => {
    const { tool, effects } = await open({})
    const { attempts, status: end } = await carryOut(tool)
    expect([effects(), attempts, end]).toEqual([1, 1, expect.objectContaining({ s: 'failed' })])
  })

  it.each<Traits>([{ readOnly: true }, { idempotent: true }])(
    'is asked again with the same key if it says that it may be: %j',
    async (traits) => {
      const { tool, effects } = await open(traits)
      const { attempts, keys } = await carryOut(tool)
      expect([effects(), attempts]).toEqual([ALL, ALL])
      expect([keys.length, new Set(keys).size]).toEqual([ALL, 1])
    },
  )
})

describe.each(AGENTS)('an agent that %s', (_failure, fails) => {
  it.each<[string, Traits, number]>([
    ['once where one of its tools may act', {}, 1],
    ['again where all of them only read', { readOnly: true }, ALL],
  ])('is asked %s', async (_name, traits, expected) => {
    const { tool, effects } = agentThat(fails, traits)
    const { attempts } = await carryOut(tool, { parameters: { input: 'pay' } })
    expect([effects(), attempts]).toEqual([expected, expected])
  })
})

describe('a tool that was never asked', () => {
  const refusing = () => new HookExecutor().register('preTool', () => ({ block: 'not now' }))
  const nobody = async (type: 'restful' | 'grpc' | 'mcp'): Promise<Tool> => {
    const host = `127.0.0.1:${await freePort()}`
    const connections = {
      restful: { type: 'restful', url: `http://${host}/`, method: 'POST' },
      grpc: { type: 'grpc', url: host, method: 'test.lookup.Lookup/Act' },
      mcp: { type: 'mcp', url: `http://${host}/mcp`, server: undefined, tool: 'act' },
    } as const
    return catalogTool(connections[type], { timeoutMs: PATIENCE_MS })
  }
  const idle = () => acting('act', {}, () => 'done')
  const AMOUNT: JsonObject = { type: 'object', properties: { amount: { type: 'integer' } } }

  it.each<[string, string, () => Promise<readonly [Tool, CarryOptions?]>]>([
    ['nobody listens (REST)', 'unreachable', async () => [await nobody('restful')]],
    ['nobody listens (gRPC)', 'unreachable', async () => [await nobody('grpc')]],
    ['nobody listens (MCP)', 'unreachable', async () => [await nobody('mcp')]],
    [
      'the arguments do not fit',
      'invalid_arguments',
      async () => [{ ...idle().tool, parameters: AMOUNT }, { parameters: { amount: 'much' } }],
    ],
    ['a hook refuses it', 'forbidden', async () => [idle().tool, { hooks: refusing() }]],
    ['it rests', 'circuit_open', async () => [await resting()]],
    ['too many calls wait', 'overloaded', async () => [await crowded()]],
  ])('is tried again: %s', async (_name, code, open) => {
    const [tool, options] = await open()
    const { attempts, status: end } = await carryOut(tool, options)
    expect([attempts, end]).toEqual([ALL, { s: 'failed', error: { code, message: expect.any(String) } }])
  })

  it('and is not permitted is refused once', async () => {
    const { tool, effects } = idle()
    const { attempts, status: end } = await carryOut(tool, { permission: () => 'deny' })
    expect([effects(), attempts, end]).toMatchObject([0, 1, { error: { code: 'forbidden' } }])
  })
})

/** A tool that failed a moment ago, so that it is left alone. */
async function resting(): Promise<Tool> {
  const breaker = { failures: 1, cooldownMs: 60_000, maxCooldownMs: 60_000 }
  const { tool } = await rest({}, (response) => sendJson(response, {}, 500), { breaker })
  await tool.call({}, CALL)
  return tool
}

/** A tool whose one place is taken, and where nobody may wait. */
async function crowded(): Promise<Tool> {
  const settings = { maxConcurrentPerTool: 1, maxWaiting: 0 }
  const server = await startHttpServer(() => {})
  onTestFinished(() => server.close())
  const connection = { type: 'restful', url: `${server.url}/act`, method: 'POST' } as const
  const tool = await catalogTool(connection, { timeoutMs: 30_000 }, { settings })
  const ended = new AbortController()
  void tool.call({}, { requestId: 'r', signal: ended.signal })
  onTestFinished(() => ended.abort())
  return tool
}
