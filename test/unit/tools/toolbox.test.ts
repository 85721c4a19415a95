import { describe, expect, it } from 'vitest'
import type { ToolDefinition } from '../../../src/registry/snapshot.js'
import { callTool } from '../../../src/tools/call-tool.js'
import { callWithValues } from '../../../src/tools/call-with-values.js'
import { toTool } from '../../../src/tools/catalog-tools.js'
import { localTool } from '../../../src/tools/local-tool.js'
import type { ToolCaller } from '../../../src/tools/tool.js'
import {
  createToolbox,
  joinToolboxes,
  narrowToolbox,
  takesAnyArguments,
  toFunctionDefinition,
} from '../../../src/tools/toolbox.js'
import type { CallContext } from '../../../src/util/call-context.js'
import { callOptions, toolEntry } from '../../support/tool-entry.js'

const CALLER: ToolCaller = {
  call: async () => ({ ok: true, value: '', cached: false, arguments: {}, durationMs: 0, warnings: [] }),
  refuse: (_tool, { code, message }) => ({
    ok: false,
    code,
    message,
    substituted: 'recorded',
    arguments: undefined,
    durationMs: 0,
  }),
  status: { inFlight: 0, breakers: [] },
}
const catalogTool = (changes: Partial<ToolDefinition>) => toTool(toolEntry('a.b', changes), CALLER, {})
const hello = localTool({ name: 'hello', execute: (args) => args['name'] ?? 'nobody' })
const later = localTool({ name: 'a_later', execute: () => 2 })

describe('a tool of the catalog', () => {
  it.each<[string, Partial<ToolDefinition>, object]>([
    ['nothing said', {}, { name: 'a_b', server: 'a', readOnly: false, idempotent: false }],
    ['idempotent', { idempotent: true }, { idempotent: true }],
    ['approval', { approval: 'ask' }, { permission: 'ask' }],
    ['a limit of its own', { timeoutMs: 7 }, { timeoutMs: 7 }],
  ])('says what its document says: %s', (_name, changes, expected) =>
    expect(catalogTool(changes)).toMatchObject(expected),
  )

  it('tells calls apart by the named arguments only, in whatever order they come', () => {
    const { dedupeKey } = catalogTool({ dedupeBy: ['path', 'query'] })
    const key = dedupeKey?.({ path: '/a', query: { x: 1, y: 2 }, comment: 'first' })
    expect(dedupeKey?.({ comment: 'again', query: { y: 2, x: 1 }, path: '/a' })).toBe(key)
    expect(dedupeKey?.({ path: '/b', query: { x: 1, y: 2 } })).not.toBe(key)
    expect(catalogTool({}).dedupeKey).toBeUndefined()
  })
})

describe('boxes', () => {
  it('list by name, find own names only, narrow and join', () => {
    const box = createToolbox([hello, later])
    expect(box.list().map(({ name }) => name)).toEqual(['a_later', 'hello'])
    expect(box.get('constructor')).toBeUndefined()
    // Ids of the catalog have dots where function names have none.
    expect([box.get('a.later'), box.get('a.never')]).toEqual([later, undefined])
    const narrow = narrowToolbox(box, ({ name }) => name === 'hello')
    expect([narrow.get('a_later'), narrow.get('hello')]).toEqual([undefined, hello])
    const other = { ...hello, description: 'newer' }
    expect(joinToolboxes(box, createToolbox([other])).get('hello')).toBe(other)
  })

  it('tell models of tools in the shape of chat completions', () => {
    expect(toFunctionDefinition(hello)).toEqual({
      type: 'function',
      function: { name: 'hello', description: '', parameters: { type: 'object' } },
    })
  })
})

describe('calls', () => {
  it('with values in order find their names; too many are a failure, as data', async () => {
    const tool = { ...hello, parameters: { type: 'object', properties: { name: {} } } }
    expect(await callWithValues(tool, ['Ann'], callOptions())).toMatchObject({ ok: true, value: 'Ann' })
    expect(await callWithValues(tool, ['Ann', 2], callOptions())).toMatchObject({
      ok: false,
      code: 'invalid_arguments',
    })
  })

  it.each([
    { traits: {}, how: 'times out', doubt: true },
    { traits: {}, how: 'is cancelled', doubt: true },
    { traits: { idempotent: true }, how: 'times out', doubt: true },
    { traits: { readOnly: true }, how: 'times out', doubt: false },
    { traits: { readOnly: true }, how: 'is cancelled', doubt: false },
    { traits: {}, how: 'fails', doubt: false },
  ])('say whether they may have had their effect: $traits, $how', async ({ traits, how, doubt }) => {
    const leaving = new AbortController()
    const execute = () => {
      if (how === 'fails') throw new Error('no such account')
      if (how === 'is cancelled') leaving.abort()
      return new Promise<never>(() => {})
    }
    const context = callOptions({ signal: leaving.signal })
    const outcome = await callTool(localTool({ name: 'pay', ...traits, execute }), {}, context, 20)
    const message = outcome.ok ? '' : outcome.message
    expect(message.endsWith('; the call may have had its effect')).toBe(doubt)
    expect(message).not.toBe('')
  })

  it('tell their tool how long they may take, and end when that is over', async () => {
    let seen: CallContext | undefined
    const slow = localTool({
      name: 'slow',
      execute: (_args, context) => {
        seen = context
        return new Promise(() => {})
      },
    })
    const context = callOptions({ idempotencyKey: 'k' })
    expect(await callTool(slow, {}, context, 20)).toMatchObject({ ok: false, code: 'timeout' })
    expect(seen).toMatchObject({ limitMs: 20, idempotencyKey: 'k' })
    const named = await callTool(slow, {}, context, 20, { limitName: 'A_SETTING' })
    expect(named).toMatchObject({ message: expect.stringContaining('no answer within 20 ms (A_SETTING)') })
    expect(seen?.signal.aborted).toBe(true)
  })
})

describe('takesAnyArguments', () => {
  it.each<[string, object, boolean]>([
    ['nothing said', { type: 'object' }, true],
    ['an empty schema', {}, true],
    ['another type', { type: 'string' }, false],
    ['a property', { type: 'object', properties: { a: { type: 'number' } } }, false],
    ['no further properties', { type: 'object', additionalProperties: false }, false],
    ['a number of them', { maxProperties: 2 }, false],
  ])('of %s', (_name, parameters, expected) =>
    expect(takesAnyArguments({ parameters: { ...parameters } })).toBe(expected),
  )

  it('of a function without a schema', () => expect(takesAnyArguments(hello)).toBe(true))
})
