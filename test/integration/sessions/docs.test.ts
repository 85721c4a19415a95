import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { LocalTool } from '../../../src/tools/local-tool.js'
import { type Replicas, startReplicas } from '../../support/replicas.js'

const run = promisify(execFile)
const page = readFileSync(resolve(import.meta.dirname, '../../../docs/guides/sessions.md'), 'utf8')
const EXAMPLE = /<!-- example -->\n```sh\n([\s\S]*?)\n```\n```(json|text)\n([\s\S]*?)\n```/g
const examples = [...page.matchAll(EXAMPLE)].map(([, command = '', kind = '', answer = '']) => ({
  command,
  kind,
  answer,
}))

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tools: readonly LocalTool[] = [
  { name: 'multiply', execute: ({ a, b }) => Number(a) * Number(b) },
  { name: 'book', parameters: city, execute: () => 'booked' },
]
let replicas: Replicas

beforeAll(async () => {
  replicas = await startReplicas({
    state: 'memory',
    count: 1,
    agents: new Map([
      ['helper', { tools, ask: ['book'] }],
      ['critic', {}],
    ]),
    replies: [
      { toolCalls: [{ name: 'multiply', arguments: { a: 17, b: 23 } }] },
      '391',
      { toolCalls: [{ name: 'book', arguments: { city: 'Bonn' } }] },
      'Booked.',
    ],
  })
})
afterAll(() => replicas.close())

/** `…` stands for anything. */
function pattern(value: unknown): unknown {
  if (value === '…') return expect.anything()
  if (Array.isArray(value)) return value.map(pattern)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, pattern(item)]))
}

it('shows a conversation', () => {
  expect(examples.length).toBe(8)
})

it.each(examples)('$command', async ({ command, kind, answer }) => {
  const there = command.replaceAll('localhost:8080', replicas.first.url.replace('http://', ''))
  const { stdout } = await run('bash', ['-c', there])
  if (kind === 'json') expect(JSON.parse(stdout)).toEqual(pattern(JSON.parse(answer)))
  else {
    const escaped = answer.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '\\S+?')
    expect(stdout).toMatch(new RegExp(`^${escaped}`))
  }
  // The turn that was decided upon ends by itself.
  if (command.includes('/approvals/'))
    await run('bash', ['-c', `curl -sN ${replicas.first.url}/api/sessions/trip/turns/2/events`])
})
