import { expect, it } from 'vitest'
import { KeyRing } from '../../../src/access/key-ring.js'
import { parseKeys } from '../../../src/access/parse-keys.js'
import { runLocalTurn as cli } from '../../support/run-cli.js'

it('makes keys whose entries the service takes', async () => {
  const made = await Promise.all([
    cli([
      'key',
      'web',
      '--scopes',
      'read, render',
      '--prompts',
      'review.*',
      '--rate',
      '5/s',
      '--expires',
      '2099-01-31',
    ]),
    cli(['key', 'ops', '--scopes', 'admin']),
  ])
  expect(made.map(({ code }) => code)).toEqual([0, 0])
  const parsed = parseKeys('keys.yaml', `keys:\n${made.map(({ stdout }) => stdout).join('')}`)
  const ring = new KeyRing([], Date.now)
  expect(ring.replace(parsed.ok ? parsed.keys : [])).toEqual([])
  const [web, ops] = made.map(({ stdout, stderr }) => {
    const key = /aps_[\w-]{43}/.exec(stderr)?.[0] ?? ''
    expect(stdout).not.toContain(key)
    return ring.find(key)?.access
  })
  expect(web).toMatchObject({ name: 'web', rate: '5/s', scopes: new Set(['read', 'render']) })
  expect(web?.prompts?.patterns).toEqual(['review.*'])
  expect(ops).toMatchObject({ name: 'ops', prompts: undefined, expiresAt: undefined })
})

it.each([
  [['key'], /missing <name>/],
  [['key', 'web'], /missing --scopes: one or more of read, render/],
  [['key', 'we b', '--scopes', 'read'], /<name>: does not have the right form/],
  [['key', 'web', '--scopes', 'sing'], /there is no scope "sing", it is one of read/],
  [['key', 'web', '--scopes', 'read', '--prompts', 'a**'], /--prompts\/0/],
  [['key', 'web', '--scopes', 'read', '--expires', 'soon'], /--expires/],
])('%j is wrong', async (words, expected) => {
  const { code, stdout, stderr } = await cli(words)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(expected)
})
