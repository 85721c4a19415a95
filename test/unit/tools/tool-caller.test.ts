import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { ToolDefinition } from '../../../src/registry/snapshot.js'
import {
  createToolCaller,
  type ToolCallerOptions,
  type ToolCallRecord,
} from '../../../src/tools/tool-caller.js'
import type { ToolFailure } from '../../../src/tools/tool-failure.js'
import { DEFAULT_TOOL_SETTINGS, type ToolSettings } from '../../../src/tools/tool-settings.js'
import type { ToolWire, WireReply } from '../../../src/tools/tool-wire.js'
import { WireError } from '../../../src/transport/wire-error.js'
import { callOptions, callWith, toolEntry } from '../../support/tool-entry.js'

type Send = (signal: AbortSignal) => Promise<WireReply>

type WireOptions = { readonly secrets?: readonly string[]; readonly load?: () => Promise<void> }

function callerOf(send: Send, options: Partial<ToolCallerOptions> & WireOptions = {}) {
  const records: ToolCallRecord[] = []
  const wire: ToolWire = {
    prepare: () => ({
      target: 'here',
      identity: 'same',
      secrets: options.secrets ?? [],
      ...(options.load && { load: options.load }),
      send: ({ signal }) => send(signal),
    }),
    close: async () => {},
  }
  const caller = createToolCaller({
    settings: DEFAULT_TOOL_SETTINGS,
    wires: { restful: wire, grpc: wire, mcp: wire },
    observe: (record) => void records.push(record),
    ...options,
  })
  const call = (changes: Partial<ToolDefinition> = {}, changed = {}) =>
    callWith(caller, toolEntry('a.b', changes), ['x'], callOptions(changed))
  return { caller, call, records }
}

const answer = async () => ({ value: { text: 'secret-1 and more' }, warnings: [] })
const settings = (changes: Partial<ToolSettings>) => ({ settings: { ...DEFAULT_TOOL_SETTINGS, ...changes } })

describe('createToolCaller', () => {
  it('masks secrets in results and in messages', async () => {
    const good = await callerOf(answer, { secrets: ['secret-1'] }).call()
    expect(good).toMatchObject({ ok: true, value: { text: '*** and more' } })
    const broken = async () => Promise.reject(new WireError('upstream_error', 'echo secret-1'))
    const bad = callerOf(broken, { secrets: ['secret-1'] })
    expect(await bad.call()).toMatchObject({ ok: false, message: 'echo ***' })
    expect(JSON.stringify([bad.records, bad.caller.status])).not.toContain('secret-1')
  })

  it('tells nothing of unforeseen failures but to the log', async () => {
    const cause = new TypeError('cannot read properties of undefined')
    const { call, records } = callerOf(() => Promise.reject(cause))
    expect(await call()).toMatchObject({ ok: false, code: 'internal', message: 'Unexpected failure' })
    expect(records).toMatchObject([{ tool: 'a.b', code: 'internal', cause }])
  })

  it('substitutes: default, default of what it returns, empty text', async () => {
    const { call } = callerOf(() => Promise.reject(new WireError('rejected', 'no')))
    expect(await call({ fallback: [1] })).toMatchObject({ substituted: [1] })
    expect(await call({ returns: { default: 2 } })).toMatchObject({ substituted: 2 })
    expect(await call()).toMatchObject({ substituted: '' })
  })

  it('records a call whose values fit no parameters, without calling', async () => {
    const { caller, records } = callerOf(() => Promise.reject(new Error('called')))
    const outcome = await callWith(caller, toolEntry('a.b', { fallback: 0 }), ['x', 'y'], callOptions())
    expect(outcome).toMatchObject({ code: 'invalid_arguments', substituted: 0, arguments: undefined })
    expect(records).toMatchObject([{ tool: 'a.b', code: 'invalid_arguments' }])
  })

  it('opens the circuit for failures of the tool, not for mistakes of its callers', async () => {
    let reason: WireError | ToolFailure = new WireError('rejected', 'no such symbol')
    let calls = 0
    const { call, caller } = callerOf(
      () => {
        calls += 1
        return Promise.reject(reason)
      },
      settings({ breaker: { failures: 2, cooldownMs: 60_000, maxCooldownMs: 60_000 } }),
    )
    for (let i = 0; i < 5; i += 1) await call()
    reason = new WireError('unreachable', 'nobody there')
    await call()
    await call()
    expect(await call({ fallback: 'rests' })).toMatchObject({ code: 'circuit_open', substituted: 'rests' })
    expect(calls).toBe(7)
    expect(caller.status.breakers).toMatchObject([{ tool: 'a.b', state: 'open', lastError: 'nobody there' }])
  })

  it('counts a caller that gave up at its deadline against the tool, one that left does not', async () => {
    const hang: Send = () => new Promise(() => {})
    const { call, caller } = callerOf(hang)
    const leave = async (deadlineMs: number) => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(), 150)
      return call({}, { signal: controller.signal, deadlineAt: Date.now() + deadlineMs })
    }
    expect(await leave(5_000)).toMatchObject({ code: 'cancelled' })
    expect(caller.status.breakers).toEqual([])
    expect(await leave(200)).toMatchObject({ code: 'timeout' })
    expect(caller.status.breakers).toMatchObject([{ consecutiveFailures: 1 }])
  })

  it('counts the reading of libraries against nobody, and waits for it no longer than the caller', async () => {
    const load = () => pause(200)
    const slow = callerOf(answer, { ...settings({ timeoutMs: 100 }), load })
    expect(await slow.call({ timeoutMs: 50 })).toMatchObject({ ok: true })
    expect(await slow.call({ timeoutMs: 50, readOnly: true, cacheTtlMs: 1_000 })).toMatchObject({ ok: true })
    const controller = new AbortController()
    const { call, caller } = callerOf(answer, { load: () => new Promise(() => {}) })
    const left = call({}, { signal: controller.signal })
    controller.abort()
    expect(await left).toMatchObject({ ok: false, code: 'cancelled' })
    expect(caller.status.breakers).toEqual([])
  })

  it('keeps to the shortest of the limits', async () => {
    const hang: Send = () => new Promise(() => {})
    const timed = async (
      changes: Partial<ToolDefinition>,
      own: Partial<ToolSettings>,
      deadlineMs: number,
    ) => {
      const outcome = await callerOf(hang, settings(own)).call(changes, {
        deadlineAt: Date.now() + deadlineMs,
      })
      return outcome.ok ? 'ok' : outcome.message
    }
    expect(await timed({ timeoutMs: 20 }, {}, 5_000)).toBe('no answer within 20 ms (timeoutMs of the tool)')
    expect(await timed({ timeoutMs: 5_000 }, { timeoutMs: 20 }, 5_000)).toBe(
      'no answer within 20 ms (TOOL_TIMEOUT_MS)',
    )
    const limited = callerOf(hang).call({ timeoutMs: 5_000 }, { limitMs: 20 })
    expect(await limited).toMatchObject({ message: 'no answer within 20 ms' })
    const named = callerOf(hang).call(
      {},
      { limitMs: 20, limitName: 'A_SETTING', deadlineAt: Date.now() + 20 },
    )
    expect(await named).toMatchObject({
      message: expect.stringMatching(/^no answer within \d+ ms \(A_SETTING\)$/),
    })
    expect(await timed({}, {}, 300)).toMatch(/no answer within ([12]\d\d|300) ms/)
    expect(await timed({}, {}, -1)).toBe('no time is left for the call')
  })

  it('lets a caller with a longer limit of its own wait longer than TOOL_TIMEOUT_MS', async () => {
    const slow: Send = () => new Promise((resolve) => setTimeout(resolve, 60, { value: 1, warnings: [] }))
    const hang: Send = () => new Promise(() => {})
    const { call } = callerOf(slow, settings({ timeoutMs: 10 }))
    const { call: callForEver } = callerOf(hang, settings({ timeoutMs: 10 }))
    expect(await callForEver()).toMatchObject({ code: 'timeout' })
    expect(await call({}, { limitMs: 5_000 })).toMatchObject({ ok: true, value: 1 })
    expect(await callForEver({ timeoutMs: 20 }, { limitMs: 5_000 })).toMatchObject({ code: 'timeout' })
    expect(await call({}, { limitMs: 5_000, deadlineAt: undefined })).toMatchObject({ ok: true })
  })

  it('caches only what is read-only, by arguments and revision', async () => {
    let calls = 0
    const count = async () => {
      calls += 1
      return { value: calls, warnings: [] }
    }
    const { caller } = callerOf(count)
    const run = async (changes: Partial<ToolDefinition>, text = 'x', revision = 'r1') => {
      const outcome = await callWith(
        caller,
        { ...toolEntry('a.b', changes), revision },
        [text],
        callOptions(),
      )
      return outcome.ok ? [outcome.value, outcome.cached] : outcome.code
    }
    const cached = { readOnly: true, cacheTtlMs: 60_000 }
    expect(await run({ cacheTtlMs: 60_000 })).toEqual([1, false])
    expect(await run({ cacheTtlMs: 60_000 })).toEqual([2, false])
    expect(await run(cached)).toEqual([3, false])
    expect(await run(cached)).toEqual([3, true])
    expect(await run(cached, 'y')).toEqual([4, false])
    expect(await run(cached, 'x', 'r2')).toEqual([5, false])
    expect(await Promise.all([run(cached, 'z'), run(cached, 'z')])).toEqual([
      [6, false],
      [6, true],
    ])
  })

  it('calls one tool and one place only so often at once', async () => {
    let running = 0
    let most = 0
    const { call } = callerOf(
      async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running -= 1
        return { value: '', warnings: [] }
      },
      settings({ maxConcurrentPerTool: 3 }),
    )
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => call()))
    expect(outcomes.every(({ ok }) => ok)).toBe(true)
    expect(most).toBe(3)
  })
})
