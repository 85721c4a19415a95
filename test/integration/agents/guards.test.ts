import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { completion, stream } from '../../../src/testing.js'
import { type AgentService, type Json, startAgentService } from '../../support/agent-service.js'

const call = (path: string, tool = 'read') =>
  `<use_mcp_tool>\n<server_name>m</server_name>\n<tool_name>${tool}</tool_name>\n<arguments>\n{"path":"${path}"}\n</arguments>\n</use_mcp_tool>`
const BROKEN = 'I look. <use_mcp_tool><tool_name>read</tool_name></server_name>'
const REFUSAL = 'I’m sorry, but I can’t do that.'
const STUCK = 'It goes round. '.repeat(40)
const TAG = /<\/?(?:use_mcp_tool|server_name|tool_name|arguments)/

let agents: AgentService

beforeAll(async () => {
  const agent = { protocol: 'mcp-xml', tools: ['m.*'], model: 'agent-model' }
  const all = { refusal: true, duplicate: true }
  agents = await startAgentService({
    'agents/t/guarded.json': { ...agent, guards: all },
    'agents/t/unguarded.json': { ...agent, guards: { format: false, loop: false, repetition: false } },
    'agents/t/worded.json': { ...agent, guards: { refusal: ['no way'] } },
    'agents/t/boxed.json': { ...agent, answer: 'boxed' },
    'agents/t/short.json': { ...agent, context: { keepToolResults: 1 } },
  })
})
afterAll(() => agents.close())

interface Turn {
  readonly events: readonly Json[]
  readonly result: Json
  /** What is stored, as role and content. */
  readonly stored: readonly (readonly [role: string, content: string])[]
  /** What the model read last, in its requests. */
  readonly told: readonly string[]
  /** Bodies that reached tools. */
  readonly called: readonly unknown[]
  /** How often each guard is counted. */
  readonly counted: Readonly<Record<string, number>>
}

/** One streamed turn of a new session, and everything there is to see of it. */
async function turn(agent: string, ...replies: readonly string[]): Promise<Turn> {
  // Cut into pieces, so that tags come in halves.
  agents.upstream.script(...replies.map((reply) => stream(reply.match(/.{1,7}/gs) ?? [])))
  const [before, calls] = [await guardCounts(), agents.calls.length]
  const { body: session } = await agents.ask('/api/sessions', { agent: `t.${agent}` })
  const path = `/api/sessions/${session.id}/turns`
  const events = await agents.stream(path, { input: 'What is in a?', stream: true })
  const messages = await fetchJson(`/api/sessions/${session.id}/messages`)
  const after = await guardCounts()
  return {
    events,
    result: events.at(-1)?.result,
    stored: messages.items.map(({ message }: Json) => [message.role, message.content]),
    told: agents.upstream.requests.map(({ body }: Json) => body.messages.at(-1).content),
    called: agents.calls.slice(calls),
    counted: Object.fromEntries(
      Object.entries(after).flatMap(([name, count]) => {
        const more = count - (before[name] ?? 0)
        return more === 0 ? [] : [[name, more]]
      }),
    ),
  }
}

async function fetchJson(path: string): Promise<Json> {
  return (await fetch(`${agents.service.url}${path}`)).json()
}

async function guardCounts(): Promise<Record<string, number>> {
  const text = await (await fetch(`${agents.service.url}/metrics`)).text()
  const rows = text.matchAll(/^agent_guard_total\{guard="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries([...rows].map(([, name, count]) => [name, Number(count)]))
}

const ofType = ({ events }: Turn, type: string) => events.filter((event) => event.type === type)
const read = (turned: Turn) => ofType(turned, 'text.delta').map(({ text }) => text)
const rollbacks = (turned: Turn) => ofType(turned, 'rollback').map(({ reason, attempt }) => [reason, attempt])

describe('the format guard', () => {
  it('takes a broken call back, says exactly what was wrong, and stores nothing of it', async () => {
    const turned = await turn('guarded', BROKEN, 'Fine.')
    expect(rollbacks(turned)).toEqual([['format', 1]])
    expect(turned.told[1]).toContain('was not accepted')
    expect(turned.told[1]).toContain('<arguments> is missing')
    expect(turned.told[1]).toContain('<use_mcp_tool><tool_name>read')
    expect(turned.result).toMatchObject({ ended_by: 'answer', message: { content: 'Fine.' }, steps: 2 })
    expect(turned.stored).toEqual([
      ['user', 'What is in a?'],
      ['assistant', 'Fine.'],
    ])
    expect(turned.counted).toEqual({ format: 1 })
    expect(read(turned).join('')).not.toMatch(TAG)
    // What readers shall forget comes before the rollback, what counts behind it.
    const names = turned.events.map(({ type }) => type)
    expect(names.indexOf('rollback')).toBeGreaterThan(names.indexOf('text.delta'))
    expect(names.lastIndexOf('text.delta')).toBeGreaterThan(names.indexOf('rollback'))
  })

  it('takes back at most four messages in a row; then the text is the answer, and says so', async () => {
    const turned = await turn('guarded', BROKEN)
    expect(rollbacks(turned).map(([, attempt]) => attempt)).toEqual([1, 2, 3, 4])
    expect(turned.told).toHaveLength(5)
    expect(turned.result).toMatchObject({ ended_by: 'format', message: { content: BROKEN } })
    expect(turned.called).toEqual([])
    expect(read(turned).join('')).not.toMatch(TAG)
    expect(turned.counted).toEqual({ format: 4 })
  })

  it('runs a whole call beside a broken one, which is told with the results', async () => {
    const turned = await turn('guarded', `${call('a')}\n${BROKEN}`, 'Fine.')
    expect(rollbacks(turned)).toEqual([])
    expect(turned.called).toEqual([{ path: 'a' }])
    expect(turned.told[1]).toContain('read {"path":"a"}')
    expect(turned.told[1]).toContain('<arguments> is missing')
    expect(turned.counted).toEqual({})
  })

  it('does nothing where it is off: the text is the answer at once', async () => {
    const turned = await turn('unguarded', BROKEN)
    expect([turned.told.length, turned.result.ended_by, turned.result.message.content]).toEqual([
      1,
      'format',
      BROKEN,
    ])
  })

  it('lets calls in code blocks and thoughts be text', async () => {
    const turned = await turn('guarded', `<think>${call('a')}</think>So:\n\`\`\`\n${call('b')}\n\`\`\``)
    expect([turned.result.ended_by, turned.called, rollbacks(turned)]).toEqual(['answer', [], []])
  })

  it('works for whole answers of the chat interface, too; what a stream has shown is never taken back', async () => {
    agents.upstream.script(completion(BROKEN), completion('Fine.'))
    const messages = [{ role: 'user', content: 'x' }]
    const before = await guardCounts()
    const whole = await agents.ask('/v1/chat/completions', { model: 'agent:t.guarded', messages })
    expect(whole.body.choices[0].message.content).toBe('Fine.')
    expect((await guardCounts())['format']).toBe((before['format'] ?? 0) + 1)
    agents.upstream.script(stream([BROKEN]), stream(['Fine.']))
    const request = { model: 'agent:t.guarded', messages, stream: true }
    const chunks = await agents.stream('/v1/chat/completions', request)
    expect(agents.upstream.requests).toHaveLength(1)
    expect(chunks.map(({ choices }: Json) => choices[0]?.delta.content ?? '').join('')).not.toMatch(TAG)
  })
})

describe('the refusal guard', () => {
  it('takes giving up back', async () => {
    const turned = await turn('guarded', REFUSAL, 'Fine.')
    expect([rollbacks(turned), turned.counted]).toEqual([[['refusal', 1]], { refusal: 1 }])
    expect(turned.told[1]).toContain('it gives up')
    expect(turned.stored.at(-1)).toEqual(['assistant', 'Fine.'])
    expect(turned.stored).toHaveLength(2)
  })

  it('leaves refusals with a call or a box alone, looks for other words, and is off by default', async () => {
    const withCall = await turn('guarded', `${REFUSAL} ${call('a')}`, 'Fine.')
    const withBox = await turn('guarded', `${REFUSAL} \\boxed{none}`)
    const worded = await turn('worded', 'No way!', 'Fine.')
    const off = await turn('unguarded', REFUSAL)
    expect([withCall, withBox, off].map(rollbacks)).toEqual([[], [], []])
    expect([withCall.called, rollbacks(worded)]).toEqual([[{ path: 'a' }], [['refusal', 1]]])
  })

  it('shares its four with the format guard', async () => {
    const turned = await turn('guarded', BROKEN, REFUSAL, BROKEN, REFUSAL, REFUSAL)
    expect(rollbacks(turned).map(([reason]) => reason)).toEqual(['format', 'refusal', 'format', 'refusal'])
    expect(turned.result).toMatchObject({ ended_by: 'answer', message: { content: REFUSAL } })
  })

  it('counts anew after a message that was accepted', async () => {
    const turned = await turn('guarded', BROKEN, BROKEN, BROKEN, BROKEN, call('a'), BROKEN, 'Fine.')
    expect(rollbacks(turned)).toHaveLength(5)
    expect(turned.result.message.content).toBe('Fine.')
  })
})

describe('the duplicate guard', () => {
  it('rolls a repeated question back before any of its calls runs', async () => {
    const turned = await turn('guarded', call('a'), `${call('b')}\n${call('a')}`, 'Fine.')
    expect(rollbacks(turned)).toEqual([['duplicate', 1]])
    expect(turned.called).toEqual([{ path: 'a' }])
    expect(turned.told[2]).toContain('m_read {"path":"a"}')
    expect(turned.stored.map(([role]) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(turned.counted).toEqual({ duplicate: 1 })
  })

  it('allows it after four, with a warning', async () => {
    const repeated = Array.from({ length: 6 }, () => call('a'))
    const turned = await turn('guarded', ...repeated, 'Fine.')
    expect(rollbacks(turned)).toHaveLength(4)
    expect(turned.called).toEqual([{ path: 'a' }, { path: 'a' }])
    expect(turned.told[6]).toContain('Warning: this call was made before')
  })

  it('lets other arguments and calls that change something through', async () => {
    const turned = await turn(
      'guarded',
      call('a'),
      call('a2'),
      call('a', 'write'),
      call('a', 'write'),
      'Fine.',
    )
    expect([rollbacks(turned), turned.called.length]).toEqual([[], 4])
  })
})

describe('the loop guard', () => {
  it('notes three equal calls, does not run a fourth, and asks for a last answer', async () => {
    const turned = await turn('guarded', ...Array.from({ length: 4 }, () => call('a', 'write')), 'The end.')
    expect(turned.called).toHaveLength(3)
    expect(turned.told[3]).toContain('three times in a row')
    expect(turned.told[4]).toContain('No more tools')
    expect(turned.result).toMatchObject({ ended_by: 'loop', message: { content: 'The end.' }, tool_calls: 3 })
    expect(turned.counted).toEqual({ loop: 1 })
    expect(read(turned).join('')).not.toMatch(TAG)
  })

  it('is quiet where it is off', async () => {
    const turned = await turn('unguarded', ...Array.from({ length: 5 }, () => call('a', 'write')), 'The end.')
    expect([turned.called.length, turned.result.ended_by]).toEqual([5, 'answer'])
  })
})

describe('the repetition guard', () => {
  it('asks once more, then takes what comes', async () => {
    const mended = await turn('guarded', STUCK, 'Fine.')
    expect([rollbacks(mended), mended.counted]).toEqual([[['repetition', 1]], { repetition: 1 }])
    expect(mended.told[1]).toContain('repeated itself')
    expect(mended.stored).toHaveLength(2)
    const stuck = await turn('guarded', STUCK)
    expect([rollbacks(stuck).length, stuck.result.message.content]).toEqual([1, STUCK.trim()])
    expect(rollbacks(await turn('unguarded', STUCK))).toEqual([])
  })
})

describe('answers in a box', () => {
  beforeEach(() => agents.upstream.script(completion('fine')))

  it('are asked for, three times at most; a box is never invented', async () => {
    const turned = await turn('boxed', 'It is 42.', 'It is 42.', 'It is 42, \\boxed{ ? }', '42')
    expect(turned.result.ended_by).toBe('format')
    expect('boxed' in turned.result).toBe(false)
    expect(turned.told[1]).toContain('\\boxed{}')
    const mended = await turn('boxed', 'It is 42.', 'So \\boxed{42}')
    expect(mended.result).toMatchObject({ ended_by: 'answer', boxed: '42' })
  })

  it('fall back on an earlier box', async () => {
    const turned = await turn(
      'boxed',
      `Maybe \\boxed{41}. ${call('a')}`,
      'It is 42.',
      'It is 42.',
      'It is 42.',
      '42',
    )
    expect(turned.result).toMatchObject({ boxed: '41', ended_by: 'answer' })
  })
})

it('keeps as many tool results as it is told in what the model sees, and all of them in what is stored', async () => {
  const turned = await turn('short', call('a'), call('b'), 'Fine.')
  const seen: Json = agents.upstream.requests.at(-1)?.body
  const texts = seen.messages.map(({ content }: Json) => content)
  expect(
    texts.filter((text: string) => text.includes('Tool result is omitted to save tokens.')),
  ).toHaveLength(1)
  expect(texts.filter((text: string) => text.includes('read {"path":"b"}'))).toHaveLength(1)
  expect(turned.stored.filter(([role]) => role === 'tool').map(([, content]) => content)).toEqual([
    'read {"path":"a"}',
    'read {"path":"b"}',
  ])
})

describe('prompts of the catalog take the place of the loop’s own', () => {
  let own: AgentService

  beforeAll(async () => {
    own = await startAgentService({
      'agents/t/main.json': {
        protocol: 'mcp-xml',
        tools: ['m.*'],
        answer: 'boxed',
        instructions: 'Be kind.',
      },
      'agents/t/browsing.json': { role: 'browsing', tools: ['m.*'], limits: { maxToolTurns: 1 } },
      'templates/agent/system.json': {
        messages: [
          {
            role: 'system',
            content: 'OWN SYSTEM {{.variables.role}} {{.variables.date}} {{.variables.tool_instructions}}',
          },
        ],
      },
      'templates/agent/final.json': {
        prompt: 'OWN FINAL {{.variables.role}} {{.variables.boxed}} {{.variables.task}}',
      },
      'templates/agent/note.json': { prompt: 'OWN NOTE {{.variables.note}}' },
    })
  })
  afterAll(() => own.close())

  const sent = (index: number): Json => own.upstream.requests[index]?.body
  const system = (index: number): string => sent(index).messages[0].content
  const last = (index: number): string => sent(index).messages.at(-1).content

  it('for the system prompt, the last answer and what was wrong', async () => {
    own.upstream.script(completion(BROKEN), completion('It is 42.'), completion('\\boxed{42}'))
    const messages = [{ role: 'user', content: 'What is it?' }]
    const { body } = await own.ask('/v1/chat/completions', { model: 'agent:t.main', messages })
    expect(body.choices[0].message.content).toBe('\\boxed{42}')
    expect(system(0)).toMatch(/^OWN SYSTEM main/)
    expect(system(0)).toContain('Be kind.')
    expect(system(0)).not.toContain('# Objective')
    // The form of calls is the protocol's: it cannot be overridden away.
    expect(system(0)).toContain('<use_mcp_tool>')
    expect(system(0)).toMatch(/\d{4}-\d\d-\d\d/)
    expect(last(1)).toMatch(/^OWN NOTE Your last message was not accepted/)
    expect(last(2)).toMatch(/^OWN FINAL main true What is it\?/)
  })

  it('with the role of the agent', async () => {
    own.upstream.script(completion('fine'))
    await own.ask('/v1/chat/completions', {
      model: 'agent:t.browsing',
      messages: [{ role: 'user', content: 'x' }],
    })
    expect(system(0)).toMatch(/^OWN SYSTEM browsing/)
  })
})
