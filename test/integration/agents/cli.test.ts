import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/cli.js'
import { stream } from '../../../src/testing.js'
import {
  type AgentService,
  type Json,
  startAgentService,
  streamCalling,
} from '../../support/agent-service.js'

let agents: AgentService

beforeAll(async () => {
  agents = await startAgentService({
    'agents/t/main.json': {
      tools: ['m.*'],
      approvals: { ask: ['m.write'] },
      instructions: 'For {{.variables.who}}.',
      parameters: [{ name: 'who', type: 'string' }],
    },
  })
})
afterAll(() => agents.close())

const sent = (index: number): Json => agents.upstream.requests[index]?.body

/** Runs a command, with lines that a person types. */
async function talk(args: readonly string[], lines: readonly string[] = []) {
  let [stdout, stderr] = ['', '']
  const typed = [...lines]
  const environment = {
    ...{ CATALOG_DIR: agents.catalog.path, LLM_MODEL: 'gpt', LLM_BASE_URL: agents.upstream.url },
    TOOL_ALLOWED_HOSTS: '127.0.0.1',
  }
  const code = await runCli(['agent', ...args], {
    environment,
    ask: async () => typed.shift(),
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
  })
  return { code, stdout, stderr }
}

const who = ['-v', 'who=Ada'] as const

describe.each([
  ['here', (): readonly string[] => []],
  ['on a server', (): readonly string[] => ['--url', agents.service.url]],
])('agent, %s', (_place, where) => {
  it('prints words as they come and shows calls', async () => {
    agents.upstream.script(streamCalling('m_read', { path: 'a' }), stream(['There ', 'is b.']))
    const { code, stdout, stderr } = await talk(['t.main', 'What is in a?', ...who, ...where()])
    expect([code, stdout]).toEqual([0, 'There is b.\n'])
    expect(stderr).toContain('[m_read {"path":"a"}]')
    expect(stderr).toMatch(/\[ok, \d+ ms\] read/)
    expect(sent(0).messages[0].content).toContain('For Ada.')
  })

  it.each([
    ['y', /read/],
    ['not today', /not today/],
  ])('asks before a call that needs approval: %s', async (typed, result) => {
    agents.upstream.script(streamCalling('m_write', { path: 'a' }), stream(['done']))
    const before = agents.calls.length
    const { code, stdout } = await talk(['t.main', 'Write', ...who, ...where()], [typed])
    expect([code, stdout]).toEqual([0, 'done\n'])
    expect(sent(1).messages.at(-1).content).toMatch(result)
    expect(agents.calls.length - before).toBe(typed === 'y' ? 1 : 0)
  })

  it('remembers what was said line by line', async () => {
    agents.upstream.script(stream(['one']), stream(['two']))
    const { code, stdout } = await talk(['t.main', ...who, ...where()], ['first', '', 'second'])
    expect([code, stdout]).toEqual([0, 'one\ntwo\n'])
    expect(sent(1).messages.map(({ role }: Json) => role)).toEqual([
      ...['system', 'user', 'assistant', 'user'],
    ])
  })

  it('says what is wrong and ends with 1', async () => {
    const unknown = await talk(['t.man', 'x', ...where()])
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Did you mean "t.main"?')])
    const missing = await talk(['t.main', 'x', ...where()])
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('who')])
  })
})

it('goes on with a session of a server', async () => {
  const where = ['--url', agents.service.url, '--session', 's1']
  agents.upstream.script(stream(['one']), stream(['two']))
  await talk(['t.main', 'first', ...who, ...where])
  await talk(['t.main', 'second', ...where])
  expect(sent(1).messages).toHaveLength(4)
})

it('refuses a catalog beside a server', async () => {
  const { code, stderr } = await talk(['t.main', 'x', '--url', 'http://127.0.0.1:1', '--catalog', '.'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('exclude each other')])
})
