import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { PreparedAgent } from '../../../../src/agents/prepared-agent.js'
import type { Sessions } from '../../../../src/agents/sessions/sessions.js'
import type { RecordAddress } from '../../../../src/state/contract/record-state.js'
import { createMemoryState } from '../../../../src/state/memory-state.js'
import type { StateStore } from '../../../../src/state/state-store.js'
import { createScriptedModel, type ScriptedReply } from '../../../../src/testing/scripted-model.js'
import type { LocalTool } from '../../../../src/tools/local-tool.js'
import { jsonObject } from '../../../../src/util/json/json-fields.js'
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.js'
import { foldTurn } from '../../../support/fold-turn.js'
import { openTestSessions, turnRequest } from '../../../support/open-sessions.js'
import { waitUntil } from '../../../support/wait-until.js'

const LEASE_MS = 10_000
const ADDRESS: RecordAddress = { kind: 'session', id: 's' }
const CALL = { requestId: 'r', signal: new AbortController().signal }
const never = () => new Promise<never>(() => {})
const call = (name: string, id: string = name) => ({ name, id, arguments: {} })
const text = (name: string) => `<tool_call>{"name": "${name}", "arguments": {}}</tool_call>`
const ANSWER = { text: 'It is done.', usage: { inputTokens: 3, outputTokens: 2 } }

/** What a call did, with its idempotency key. */
interface Effect {
  readonly tool: string
  readonly key: string | undefined
}

interface Scenario {
  readonly name: string
  readonly replies: readonly ScriptedReply[]
  /** The tool in which the first process ends. */
  readonly diesIn?: string
  readonly tools?: readonly Omit<LocalTool, 'execute'>[]
  readonly agent?: Partial<PreparedAgent>
  /** The traits of the tools by the time the second process has them. */
  readonly later?: Partial<Record<string, Partial<LocalTool>>>
  /** How often each tool is called in all. */
  readonly calls: Readonly<Record<string, number>>
  readonly becomes: 'completed' | 'turn_interrupted'
}

const READ = { name: 'read', readOnly: true }
const PUT = { name: 'put', idempotent: true }
const PAY = { name: 'pay' }

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'nothing is stored: it died in the first call of the model',
    replies: ['HANG', ANSWER],
    calls: {},
    becomes: 'completed',
  },
  {
    name: 'all results are known: it died in the second call of the model, in the middle of its text',
    replies: [
      { text: 'Let me pay.', toolCalls: [call('pay')] },
      { text: 'I have said', paceMs: 1e8 },
      ANSWER,
    ],
    tools: [PAY],
    calls: { pay: 1 },
    becomes: 'completed',
  },
  {
    name: 'a tool that only reads is called again',
    replies: [{ toolCalls: [call('read')] }, ANSWER],
    diesIn: 'read',
    tools: [READ],
    calls: { read: 2 },
    becomes: 'completed',
  },
  {
    name: 'an idempotent tool is called again, with the same key',
    replies: [{ toolCalls: [call('put')] }, ANSWER],
    diesIn: 'put',
    tools: [PUT],
    calls: { put: 2 },
    becomes: 'completed',
  },
  {
    name: 'a tool with effects is not called again',
    replies: [{ toolCalls: [call('pay')] }, ANSWER],
    diesIn: 'pay',
    tools: [PAY],
    calls: { pay: 1 },
    becomes: 'turn_interrupted',
  },
  {
    name: 'a tool that only read when it was called, and does not any more, is not called again',
    replies: [{ toolCalls: [call('read')] }, ANSWER],
    diesIn: 'read',
    tools: [READ],
    later: { read: { readOnly: false } },
    calls: { read: 1 },
    becomes: 'turn_interrupted',
  },
  {
    name: 'a tool that had effects when it was called is not called again',
    replies: [{ toolCalls: [call('pay')] }, ANSWER],
    diesIn: 'pay',
    tools: [PAY],
    later: { pay: { readOnly: true } },
    calls: { pay: 1 },
    becomes: 'turn_interrupted',
  },
  {
    name: 'of two calls the one with effects has its result, the other one only reads',
    replies: [{ toolCalls: [call('pay'), call('read')] }, ANSWER],
    diesIn: 'read',
    tools: [PAY, READ],
    calls: { pay: 1, read: 2 },
    becomes: 'completed',
  },
  {
    name: 'the same, one after the other, as texts',
    replies: [`${text('pay')}${text('read')}`, ANSWER],
    diesIn: 'read',
    tools: [PAY, READ],
    agent: { protocol: 'hermes' },
    calls: { pay: 1, read: 2 },
    becomes: 'completed',
  },
]

/** What the processes of a scenario are made of. */
type Stage = Pick<Scenario, 'replies' | 'tools' | 'diesIn' | 'later' | 'agent'>

/** One process after another over the same store, each ended where it stands. */
class Deaths {
  readonly clock: FakeClock = createFakeClock()
  readonly store: StateStore
  readonly effects: Effect[] = []
  readonly #scenario: Stage
  #processes = 0
  #asked = 0

  constructor(scenario: Stage) {
    this.#scenario = scenario
    this.store = createMemoryState({ clock: this.clock, leaseMs: LEASE_MS, ttlMs: 3_600_000 })
    onTestFinished(() => this.store.close())
  }

  get asked(): number {
    return this.#asked
  }

  process(more: { readonly continuesTurns?: boolean } = {}): Sessions {
    this.#processes += 1
    const process = this.#processes
    const { replies, tools = [], agent = {}, later = {} } = this.#scenario
    const model = createScriptedModel([
      () => {
        const reply = replies[Math.min(this.#asked, replies.length - 1)] ?? ''
        this.#asked += 1
        return reply === 'HANG' ? { text: 'x', delayMs: 1e8 } : (reply as string)
      },
    ])
    return openTestSessions({
      store: this.store,
      clock: this.clock,
      leaseMs: LEASE_MS,
      model,
      agent,
      tools: tools.map((tool) => ({
        ...tool,
        ...(process > 1 && later[tool.name]),
        execute: (_, { idempotencyKey: key }) => {
          this.effects.push({ tool: tool.name, key })
          return process === 1 && tool.name === this.#scenario.diesIn ? never() : `${tool.name} done`
        },
      })),
      ...more,
    })
  }

  /** The lease of the process that stands still ends. */
  pass(): void {
    this.clock.advance(LEASE_MS + 1)
  }

  async events() {
    const view = await this.store.turns.read(ADDRESS, 1)
    const events = await this.store.events.range(ADDRESS, view.firstEvent ?? '0-0', 1_000)
    return events.map(({ id, json }) => ({ id, data: JSON.parse(json) }))
  }
}

describe('a turn whose process dies', () => {
  it.each(SCENARIOS)('$becomes: $name', async (scenario) => {
    const deaths = new Deaths(scenario)
    const first = deaths.process()
    await first.create({ owner: '-', agent: 'a', id: 's', variables: {} }, CALL)
    await first.turns.start(ADDRESS, turnRequest('do it', true))
    const isThere = () =>
      deaths.effects.some(({ tool }) => tool === scenario.diesIn) ||
      deaths.asked === (scenario.replies[0] === 'HANG' ? 1 : 2)
    await waitUntil(isThere, 'the place where it dies')
    // What it shows is stored a moment later.
    await new Promise((resolve) => setTimeout(resolve, 40))
    deaths.pass()
    const second = deaths.process()
    await second.turns.settle(ADDRESS)
    await waitUntil(async () => (await deaths.store.read(ADDRESS)).status === 'idle', 'the end of the turn')

    const counts: Record<string, number> = {}
    for (const { tool } of deaths.effects) counts[tool] = (counts[tool] ?? 0) + 1
    expect(counts).toEqual(scenario.calls)
    // A repetition can be told from another call.
    expect(new Set(deaths.effects.map(({ key }) => key)).size).toBe(Object.keys(scenario.calls).length)

    const turn = await second.turn(ADDRESS, 1)
    const session = await second.read(ADDRESS)
    expect(session.usage).toEqual(turn['usage'])
    const events = await deaths.events()
    const folded = foldTurn(events)
    if (scenario.becomes === 'turn_interrupted') {
      expect(turn).toMatchObject({ status: 'failed', error: { code: 'turn_interrupted' } })
      expect(folded.last).toMatchObject({ type: 'turn.failed', error: { code: 'turn_interrupted' } })
      return
    }
    expect(turn).toMatchObject({ status: 'completed', message: { content: ANSWER.text } })
    const rollbacks = events.filter(({ data }) => data.type === 'rollback')
    expect(rollbacks).toMatchObject([{ data: { reason: 'taken_over', attempt: 1, to: expect.any(String) } }])
    expect(rollbacks[0]?.id.split('-')[1]).toBe('1')
    expect(folded).toMatchObject({
      text: ANSWER.text,
      steps: turn['steps'],
      inputTokens: (turn['usage'] as { input_tokens: number }).input_tokens,
      began: 1,
      last: { type: 'turn.completed' },
    })
    expect(Object.keys(folded.results)).toHaveLength(Number(turn['tool_calls']))
    expect(Object.values(folded.results).every((result) => result?.endsWith(' done'))).toBe(true)
  })
})

describe('an approved call whose process dies', () => {
  const STAGE: Stage = {
    replies: [{ toolCalls: [call('pay')] }, ANSWER],
    tools: [PAY],
    agent: { permission: ({ name }) => (name === 'pay' ? 'ask' : 'allow') },
  }
  const YES = { status: 'approved', decision: { decision: 'approve' } } as const

  async function paused(stage = STAGE) {
    const deaths = new Deaths(stage)
    const first = deaths.process()
    await first.create({ owner: '-', agent: 'a', id: 's', variables: {} }, CALL)
    const started = await first.turns.start(ADDRESS, turnRequest('pay'))
    expect((await started.outcome()).kind).toBe('paused')
    return { deaths, first }
  }

  async function ended(deaths: Deaths, sessions: Sessions) {
    await waitUntil(async () => (await deaths.store.read(ADDRESS)).status === 'idle', 'the end of the turn')
    return { turn: await sessions.turn(ADDRESS, 1), session: await sessions.read(ADDRESS) }
  }

  it('runs once: nobody resumed the turn', async () => {
    const { deaths } = await paused()
    await deaths.store.approvals.decide(ADDRESS, 's-1-0-s', YES)
    const second = deaths.process()
    second.turns.watch(10)
    const { turn, session } = await ended(deaths, second)
    await second.close(0)
    expect(turn).toMatchObject({ status: 'completed' })
    expect(session.usage).toEqual(turn['usage'])
    expect(deaths.effects).toHaveLength(1)
  })

  it('runs once: the process that resumed the turn did nothing', async () => {
    const { deaths } = await paused()
    await deaths.store.approvals.decide(ADDRESS, 's-1-0-s', YES)
    await deaths.store.begin({ address: ADDRESS, by: 'dead', purpose: 'resume' })
    deaths.pass()
    const second = deaths.process()
    await second.turns.settle(ADDRESS)
    const { turn } = await ended(deaths, second)
    expect(turn).toMatchObject({ status: 'completed' })
    expect(deaths.effects).toHaveLength(1)
  })

  it('may have run: it is not called again', async () => {
    const { deaths, first } = await paused({ ...STAGE, diesIn: 'pay' })
    await first.decide('-', 's-1-0-s', { decision: 'approve' }, CALL)
    await waitUntil(() => deaths.effects.length === 1, 'the call')
    deaths.pass()
    const second = deaths.process()
    await second.turns.settle(ADDRESS)
    const { turn, session } = await ended(deaths, second)
    expect(turn).toMatchObject({ status: 'failed', error: { code: 'turn_interrupted' } })
    expect(session.usage).toEqual(turn['usage'])
    expect(deaths.effects).toHaveLength(1)
  })
})

describe('a turn that processes leave', () => {
  const HANGING: Stage = { replies: [{ text: 'x', delayMs: 1e8 } as never] }

  async function begun(stage: Stage) {
    const deaths = new Deaths(stage)
    const first = deaths.process()
    await first.create({ owner: '-', agent: 'a', id: 's', variables: {} }, CALL)
    const { input, call: by } = turnRequest('do it')
    await first.turns.start(ADDRESS, { input, call: by, idempotency: { key: 'k', bodyHash: 'h' } })
    await waitUntil(() => deaths.asked === 1, 'the model')
    deaths.pass()
    return deaths
  }

  it.each([0, 1, 500, 999])(
    'is taken over within the lease and two seconds, %i ms after a look',
    async (ms) => {
      const deaths = new Deaths({ replies: [ANSWER] })
      const other = deaths.process()
      await other.create({ owner: '-', agent: 'a', id: 's', variables: {} }, CALL)
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      onTestFinished(() => void vi.useRealTimers())
      const pass = async (time: number) => {
        deaths.clock.advance(time)
        await vi.advanceTimersByTimeAsync(time)
      }
      other.start()
      await pass(ms)
      const { input } = turnRequest('do it')
      await deaths.store.begin({ address: ADDRESS, by: 'dead', purpose: 'start', input: jsonObject(input) })
      await pass(LEASE_MS - 1)
      expect(deaths.asked).toBe(0)
      for (let passed = 0; passed <= 2_000; passed += 100) await pass(100)
      // No time passes any more: it was found, and the rest needs none.
      await waitUntil(async () => (await deaths.store.read(ADDRESS)).status === 'idle', 'the end of the turn')
      expect(await other.turn(ADDRESS, 1)).toMatchObject({ status: 'completed' })
      await other.close(0)
    },
  )

  it('fails when a third process takes it over', async () => {
    const deaths = await begun(HANGING)
    for (const asked of [2, 3]) {
      await deaths.process().turns.settle(ADDRESS)
      await waitUntil(() => deaths.asked === asked, 'the model')
      deaths.pass()
    }
    const last = deaths.process()
    await last.turns.settle(ADDRESS)
    expect(await last.turn(ADDRESS, 1)).toMatchObject({
      status: 'failed',
      error: { code: 'turn_interrupted', message: '3 processes in a row ended while they ran the turn' },
    })
    expect(deaths.asked).toBe(3)
  })

  it('ends at once where that is the setting', async () => {
    const deaths = await begun(HANGING)
    const second = deaths.process({ continuesTurns: false })
    await second.turns.settle(ADDRESS)
    expect(await second.turn(ADDRESS, 1)).toMatchObject({
      status: 'failed',
      error: { code: 'turn_interrupted' },
    })
  })

  it('gives its answer to the same idempotency key', async () => {
    const deaths = await begun({ replies: [{ text: 'x', delayMs: 1e8 } as never, ANSWER] })
    const second = deaths.process()
    const { input, call: by } = turnRequest('do it')
    const again = await second.turns.start(ADDRESS, {
      input,
      call: by,
      idempotency: { key: 'k', bodyHash: 'h' },
    })
    expect(again.turn).toBe(1)
    await expect(again.outcome()).resolves.toMatchObject({
      kind: 'completed',
      result: { message: { content: ANSWER.text } },
    })
  })

  it('does not count the time in which nobody ran it', async () => {
    const deaths = new Deaths({
      replies: [{ toolCalls: [call('read')] }, ANSWER],
      diesIn: 'read',
      tools: [READ],
      agent: { limits: { maxMs: 5_000 } },
    })
    const first = deaths.process()
    await first.create({ owner: '-', agent: 'a', id: 's', variables: {} }, CALL)
    await first.turns.start(ADDRESS, turnRequest('do it'))
    await waitUntil(() => deaths.effects.length === 1, 'the call')
    deaths.clock.advance(1_800_000)
    const second = deaths.process()
    await second.turns.settle(ADDRESS)
    await waitUntil(async () => (await deaths.store.read(ADDRESS)).status === 'idle', 'the end of the turn')
    expect(await second.turn(ADDRESS, 1)).toMatchObject({ status: 'completed', ended_by: 'answer' })
  })
})
