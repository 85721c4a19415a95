import { describe, expect, it } from 'vitest'
import { PermissionChecker, PermissionConfig, strictest } from '../../../../src/agents/tools/permission.js'
import { ToolRegistry } from '../../../../src/agents/tools/tool-registry.js'

function registry(): ToolRegistry {
  return new ToolRegistry()
    .register({
      name: 'wait',
      execute: ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(`waited ${ms}`), Number(ms))),
    })
    .register({
      name: 'fail',
      execute() {
        throw new Error('broken')
      },
    })
    .register({ name: 'stuck', execute: () => new Promise(() => {}) })
    .register({ name: 'echo', description: 'Says it again', execute: (args) => args })
}

describe('a registry of tools', () => {
  it('names its tools once, sorted, as models are told of them', () => {
    const tools = registry()
    expect(tools.listTools()).toEqual(['echo', 'fail', 'stuck', 'wait'])
    expect(tools.definitions()[0]).toEqual({
      type: 'function',
      function: { name: 'echo', description: 'Says it again', parameters: { type: 'object' } },
    })
    expect(() => tools.register({ name: 'echo', execute: () => null })).toThrow(
      expect.objectContaining({ code: 'already_exists' }),
    )
    expect(tools.get('constructor')).toBeUndefined()
  })

  it('calls one, or says why not', async () => {
    const tools = registry()
    expect(await tools.invoke('echo', { a: 1 })).toEqual({ a: 1 })
    await expect(tools.invoke('ecko', {})).rejects.toMatchObject({
      code: 'tool_not_found',
      message: expect.stringContaining('"echo"'),
    })
    await expect(tools.invoke('fail', {})).rejects.toMatchObject({ code: 'tool_failed', message: 'broken' })
  })

  it('calls many side by side: results in the order of the calls, a failure touches no other', async () => {
    const calls = [
      { name: 'wait', arguments: { ms: 30 } },
      { name: 'fail', arguments: {} },
      { name: 'nothing', arguments: {} },
      { name: 'stuck', arguments: {} },
      { name: 'wait', arguments: { ms: 1 } },
    ]
    const outcomes = await registry().invokeAll(calls, 0.3)
    expect(outcomes.map((each) => (each.ok ? each.value : each.code))).toEqual([
      ...['waited 30', 'rejected', 'unknown_tool', 'timeout', 'waited 1'],
    ])
  })
})

describe('a function', () => {
  it('hands on a signal that every library knows, which aborts with its time', async () => {
    let seen: unknown
    const waiting = new ToolRegistry().register({
      name: 'look',
      execute: (_args, { signal }) =>
        new Promise((resolve) => {
          seen = AbortSignal.any([signal])
          signal.addEventListener('abort', () => resolve('late'))
        }),
    })
    const [outcome] = await waiting.invokeAll([{ name: 'look', arguments: {} }], 0.01)
    expect(outcome).toMatchObject({ ok: false, code: 'timeout' })
    expect(seen).toMatchObject({ aborted: true, reason: { code: 'timeout' } })
  })
})

describe('permissions', () => {
  it.each([
    [
      'names that alone are allowed',
      PermissionConfig.allowOnly(['m.read']),
      { m_read: 'allow', m_write: 'deny' },
    ],
    ['a white list', PermissionConfig.whiteList(['m.read']), { m_read: 'allow', m_write: 'deny' }],
    ['a black list', PermissionConfig.blackList(['m.*']), { m_read: 'deny', n_read: 'allow' }],
    [
      'deny over ask over allow',
      { allow: ['*'], ask: ['m.*'], deny: ['m_write'] },
      { n: 'allow', m_read: 'ask', m_write: 'deny' },
    ],
    ['what nobody named', { otherwise: 'ask' }, { x: 'ask' }],
  ] as const)('follow %s', (_, rules, expected) => {
    const checker = new PermissionChecker(rules)
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, checker.decide(name)]))).toEqual(
      expected,
    )
  })

  it('are checked by throwing', () => {
    const checker = new PermissionChecker({ ask: ['a'], deny: ['b'] })
    expect(() => checker.check('a')).toThrow(/needs approval/)
    expect(() => checker.check('b')).toThrow(expect.objectContaining({ code: 'forbidden' }))
    expect(() => checker.check('c')).not.toThrow()
  })

  it('join to the strictest', () => {
    expect(strictest('allow', undefined, 'ask')).toBe('ask')
    expect(strictest('deny', 'allow', 'ask')).toBe('deny')
    expect(strictest()).toBe('allow')
  })
})
