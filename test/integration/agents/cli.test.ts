import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/cli.js'
import { stream } from '../../../src/testing.js'
import {
  type AgentService,
  type Json,
  startAgentService,
  streamCalling,
} from '../../support/agent-service.js'
import { waitUntil } from '../../support/wait-until.js'

/** A machine may be many times slower than this one. */
const PATIENCE_MS = 30_000

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
async function talk(args: readonly string[], lines: readonly string[] = [], end?: AbortSignal) {
  let [stdout, stderr] = ['', '']
  const typed = [...lines]
  const nothing = () => {}
  const environment = {
    ...{ CATALOG_DIR: agents.catalog.path, LLM_MODEL: 'gpt', LLM_BASE_URL: agents.upstream.url },
    TOOL_ALLOWED_HOSTS: '127.0.0.1',
  }
  const code = await runCli(['agent', ...args], {
    environment,
    // A person who has nothing more to say sits there.
    ask: async () => (end === undefined || typed.length > 0 ? typed.shift() : await new Promise(nothing)),
    ...(end && { signals: { end, ask: nothing, onHangup: nothing, release: nothing, finish: nothing } }),
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
    const args = { path: 'a', line: 12345678901234567890n }
    agents.upstream.script(streamCalling('m_read', args), stream(['There ', 'is b.']))
    const { code, stdout, stderr } = await talk(['t.main', 'What is in a?', ...who, ...where()])
    expect([code, stdout]).toEqual([0, 'There is b.\n'])
    expect(stderr).toContain('[m_read {"path":"a","line":12345678901234567890}]')
    expect(stderr).toMatch(/\[\w+ ok, \d+ ms\] read/)
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

  it('cancels the turn that runs when a signal comes, and ends with 5', async () => {
    agents.upstream.script({ ...stream(['late']), delayMs: 600_000 })
    const signal = new AbortController()
    const talked = talk(['t.main', ...who, ...where()], ['wait'], signal.signal)
    await waitUntil(() => agents.upstream.requests.length > 0, 'the model to be asked', PATIENCE_MS)
    signal.abort('SIGINT')
    const { code, stdout, stderr } = await talked
    expect([code, stdout, stderr]).toEqual([5, '', expect.stringContaining('cancelled')])
  })

  it('cancels the turn that asks a person when a signal comes', async () => {
    agents.upstream.script(streamCalling('m_write', { path: 'a' }), stream(['done']))
    const before = agents.calls.length
    const signal = new AbortController()
    const talked = talk(['t.main', 'Write', ...who, ...where()], [], signal.signal)
    await waitUntil(() => agents.upstream.requests.length > 0, 'the model to be asked', PATIENCE_MS)
    setTimeout(() => signal.abort('SIGINT'), 100)
    const { code, stderr } = await talked
    expect([code, stderr]).toEqual([5, expect.stringContaining('cancelled')])
    expect([agents.calls.length - before, agents.upstream.requests.length]).toEqual([0, 1])
  })

  it('ends at once when a signal comes while nothing runs', async () => {
    const signal = new AbortController()
    const talked = talk(['t.main', ...who, ...where()], [], signal.signal)
    setTimeout(() => signal.abort('SIGINT'), 100)
    expect((await talked).code).toBe(0)
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

it('says where the mistake of a broken agent stands', async () => {
  writeFileSync(join(agents.catalog.path, 'agents/t/broken.yaml'), 'tools: [1,\n')
  const { code, stderr } = await talk(['t.broken', 'x'])
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^ai-prompt-shell: agents\/t\/broken\.yaml:2:1: .+\n$/),
  ])
})

it('refuses a catalog beside a server', async () => {
  const { code, stderr } = await talk(['t.main', 'x', '--url', 'http://127.0.0.1:1', '--catalog', '.'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('exclude each other')])
})
