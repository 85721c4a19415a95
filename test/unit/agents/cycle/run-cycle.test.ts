import { describe, expect, it } from 'vitest'
import { DEFAULT_CYCLE_PROMPTS } from '../../../../src/agents/cycle/turn.js'
import { HookExecutor } from '../../../../src/agents/hook-executor.js'
import { LlmCycle, type LlmCycleOptions } from '../../../../src/agents/llm-cycle.js'
import type { ProgramEvent } from '../../../../src/agents/program-run.js'
import type { Approve } from '../../../../src/agents/run-local-turn.js'
import { ToolRegistry } from '../../../../src/agents/tools/tool-registry.js'
import type { Message } from '../../../../src/conversation/message.js'
import { toolProtocol } from '../../../../src/protocols/tool-protocol.js'
import { createScriptedModel, type ScriptedReply } from '../../../../src/testing/scripted-model.js'
import type { Tool } from '../../../../src/tools/toolbox.js'
import { type JsonObject, stringifyJson } from '../../../../src/util/json/json.js'
import { turnsOfOthers } from '../../../support/turns-of-others.js'

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

interface Setting {
  readonly replies: readonly ScriptedReply[]
  readonly options?: Partial<LlmCycleOptions>
}

function arrange({ replies, options }: Setting) {
  const model = createScriptedModel(replies)
  const ran: JsonObject[] = []
  const tools = new ToolRegistry()
    .register({
      name: 'weather',
      readOnly: true,
      parameters: CITY,
      execute(args) {
        ran.push(args)
        return { ...args, degrees: 20 }
      },
    })
    .register({
      name: 'fail',
      execute() {
        throw new Error('out of order')
      },
    })
    .register({ name: 'long', execute: () => 'x'.repeat(100_010) })
    .register({ name: 'many', execute: () => Array.from({ length: 50_000 }, (_, index) => index) })
    .register({ name: 'some', execute: () => Array.from({ length: 5_000 }, (_, index) => index) })
    .register({ name: 'ask_first', permission: 'ask', execute: () => 'done' })
    .register({ name: 'denied', permission: 'deny', execute: () => 'done' })
  const cycle = new LlmCycle(model, { model: 'scripted', ...options })
  return { model, tools, cycle, ran }
}

const call = (name: string, args: JsonObject | string = {}): ScriptedReply => ({
  toolCalls: [{ name, arguments: args }],
})
const texts = (messages: readonly Message[], role: string) =>
  messages.filter((message) => message.role === role).map(({ content }) => content)
const sent = (model: { requests: readonly JsonObject[] }, index: number) =>
  model.requests[index]?.['messages'] as unknown as readonly Message[]

async function eventsOf(run: AsyncIterable<ProgramEvent>): Promise<readonly ProgramEvent[]> {
  const events: ProgramEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

describe('a turn with tools', () => {
  it('runs what the model calls and answers', async () => {
    const { cycle, tools, model, ran } = arrange({
      replies: [call('weather', { city: 'Bonn' }), 'It is 20 degrees.'],
    })
    const result = await cycle.submitWithTools('How is it in Bonn?', tools)
    expect(result).toMatchObject({ endedBy: 'answer', steps: 2, toolCalls: 1 })
    expect(result.message.content).toBe('It is 20 degrees.')
    expect(ran).toEqual([{ city: 'Bonn' }])
    expect(cycle.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(texts(cycle.messages, 'tool')).toEqual(['{"city":"Bonn","degrees":20}'])
    expect(model.requests[0]?.['tools']).toHaveLength(7)
  })

  it.each([
    {
      name: 'an unknown tool',
      reply: call('wether', { city: 'x' }),
      result: /^unknown_tool: .*Did you mean "weather"/,
    },
    { name: 'a name of every object', reply: call('constructor'), result: /^unknown_tool: / },
    {
      name: 'arguments of a wrong type',
      reply: call('weather', { city: 7 }),
      result: /^invalid_arguments: arguments.city must be a string/,
    },
    { name: 'a missing argument', reply: call('weather'), result: /^invalid_arguments: .*city/ },
    { name: 'arguments that are no JSON', reply: call('weather', 'hello'), result: /^invalid_arguments: / },
    {
      name: 'arguments that are too much',
      reply: call('weather', `{"city":"${'x'.repeat(1 << 20)}"}`),
      result: /^invalid_arguments: arguments are too much/,
    },
    { name: 'a list of arguments', reply: call('weather', '[1]'), result: /^invalid_arguments: / },
    { name: 'a tool that throws', reply: call('fail'), result: /^rejected: out of order$/ },
    { name: 'a tool that is denied', reply: call('denied'), result: /^forbidden: / },
    { name: 'a long result', reply: call('long'), result: /^x{100000}\n\.\.\. \[Result truncated\]$/ },
    {
      name: 'a long result that is no text',
      reply: call('many'),
      result: /^\[0,1,2,3,(?=.{99991}\n)[\d,]+\n\.\.\. \[Result truncated\]$/,
    },
    { name: 'a result that is just not too long', reply: call('some'), result: /^\[0,1,[\d,]+,4999\]$/ },
    { name: 'no arguments at all', reply: call('long', ''), result: /^x+/ },
    { name: 'broken JSON', reply: call('weather', "{city: 'Bonn',}"), result: /^\{"city":"Bonn"/ },
    { name: 'a backslash', reply: call('weather', '{"city":"\\d+"}'), result: /^\{"city":"\\\\d\+"/ },
  ])('tells the model of $name', async ({ reply, result }) => {
    const { cycle, tools } = arrange({ replies: [reply, 'done'] })
    await expect(cycle.submitWithTools('go', tools)).resolves.toMatchObject({ endedBy: 'answer' })
    expect(texts(cycle.messages, 'tool')[0]).toMatch(result)
  })

  it('stores an empty object for arguments that cannot be read', async () => {
    const { cycle, tools } = arrange({ replies: [call('weather', 'hello'), 'done'] })
    await cycle.submitWithTools('go', tools)
    expect(cycle.messages[1]?.tool_calls?.[0]?.function.arguments).toBe('{}')
  })

  it('gives every call one result, in the order of the calls', async () => {
    const calls = ['weather', 'fail', 'nothing', 'denied', 'weather'].map((name, index) => ({
      name,
      id: `c${index}`,
      arguments: { city: String(index) },
    }))
    const { cycle, tools } = arrange({ replies: [{ toolCalls: calls }, 'done'] })
    await cycle.submitWithTools('go', tools)
    const results = cycle.messages.filter(({ role }) => role === 'tool')
    expect(results.map(({ tool_call_id: id }) => id)).toEqual(['c0', 'c1', 'c2', 'c3', 'c4'])
  })

  it('looks at a thousand calls of one message, and lets others in meanwhile', async () => {
    const calls = Array.from({ length: 3_000 }, () => ({ name: 'nothing', arguments: {} }))
    const { cycle, tools } = arrange({
      replies: [{ toolCalls: calls }, 'done'],
      options: { guards: { loop: false } },
    })
    const turns = await turnsOfOthers(() => cycle.submitWithTools('go', tools))
    expect(texts(cycle.messages, 'tool')).toHaveLength(1_000)
    expect(cycle.messages[1]?.tool_calls).toHaveLength(1_000)
    expect(turns).toBeGreaterThanOrEqual(2)
  })

  it('executes no more calls of one message than allowed', async () => {
    const calls = Array.from({ length: 4 }, (_, index) => ({
      name: 'weather',
      arguments: { city: `${index}` },
    }))
    const { cycle, tools, ran } = arrange({
      replies: [{ toolCalls: calls }, 'done'],
      options: { limits: { maxCallsPerTurn: 2 } },
    })
    await cycle.submitWithTools('go', tools)
    expect(ran).toHaveLength(2)
    expect(texts(cycle.messages, 'tool').slice(2)).toEqual([
      'not_executed: only 2 calls of one message are executed',
      'not_executed: only 2 calls of one message are executed',
    ])
  })

  it('takes a null for an optional property as absent', async () => {
    const { cycle, ran } = arrange({ replies: [call('look', { q: 'x', page: null }), 'done'] })
    const tools = new ToolRegistry().register({
      name: 'look',
      parameters: {
        type: 'object',
        properties: { q: { type: 'string' }, page: { type: 'integer' } },
        required: ['q'],
      },
      execute(args) {
        ran.push(args)
        return 'found'
      },
    })
    await cycle.submitWithTools('go', tools)
    expect(ran).toEqual([{ q: 'x' }])
  })
})

describe('limits', () => {
  const cities = (count: number) =>
    Array.from({ length: count }, (_, index) => call('weather', { city: `c${index}` }))

  it.each([
    {
      name: 'rounds of tools',
      limits: { maxToolTurns: 2 },
      replies: [...cities(2), 'enough'],
      endedBy: 'max_tool_turns',
      steps: 3,
    },
    {
      name: 'steps',
      limits: { maxSteps: 3 },
      replies: [...cities(2), 'enough'],
      endedBy: 'budget',
      steps: 3,
    },
    {
      name: 'tokens',
      limits: { maxTokens: 1 },
      replies: [...cities(1), 'enough'],
      endedBy: 'budget',
      steps: 2,
    },
  ])('$name end with one last answer without tools', async ({ limits, replies, endedBy, steps }) => {
    const { cycle, tools, model } = arrange({ replies, options: { limits } })
    const result = await cycle.submitWithTools('go', tools)
    expect(result).toMatchObject({ endedBy, steps, message: { content: 'enough' } })
    expect(model.requests.at(-1)).not.toHaveProperty('tools')
    expect(sent(model, steps - 1).at(-1)?.role).toBe('user')
    expect(texts(cycle.messages, 'user')).toEqual(['go'])
  })

  it.each(['text', 'boxed'] as const)(
    'have no empty answer (%s) for a model that only calls tools, however often it is asked',
    async (answer) => {
      const { cycle, tools, model, ran } = arrange({
        replies: cities(1),
        options: { limits: { maxToolTurns: 1 }, answer },
      })
      await expect(cycle.submitWithTools('go', tools)).rejects.toMatchObject({
        code: 'llm_bad_response',
        message: 'The model called tools again instead of giving its last answer',
      })
      expect(ran).toHaveLength(1)
      expect(model.requests.at(-1)).not.toHaveProperty('tools')
      expect(cycle.messages).toEqual([])
    },
  )

  it('take the box of before where a model only calls tools', async () => {
    const boxed = { text: 'Maybe \\boxed{4}', toolCalls: [{ name: 'weather', arguments: { city: 'c' } }] }
    const { cycle, tools } = arrange({
      replies: [boxed, ...cities(1)],
      options: { limits: { maxToolTurns: 1 }, answer: 'boxed' },
    })
    expect(await cycle.submitWithTools('go', tools)).toMatchObject({ boxed: '4' })
  })

  it('keep the words of a last answer, without the calls beside them', async () => {
    const beside: ScriptedReply = { text: 'as far as I got', toolCalls: [{ name: 'long', arguments: {} }] }
    const { tools, cycle } = arrange({
      replies: [call('long'), beside],
      options: { limits: { maxToolTurns: 1 } },
    })
    const { message } = await cycle.submitWithTools('go', tools)
    expect(message).toEqual({ role: 'assistant', content: 'as far as I got' })
    expect(cycle.messages.at(-1)).toEqual(message)
  })

  it('are an error where that is asked for', async () => {
    const { cycle, tools } = arrange({
      replies: cities(3),
      options: { limits: { maxToolTurns: 1 }, onLimit: 'error' },
    })
    await expect(cycle.submitWithTools('go', tools)).rejects.toMatchObject({ code: 'limit_exceeded' })
    expect(cycle.messages).toEqual([])
  })
})

describe('guards', () => {
  it('ends a loop of identical calls with a last answer', async () => {
    const same = call('weather', { city: 'Bonn' })
    const { cycle, tools, ran } = arrange({ replies: [same, same, same, same, 'I give up'] })
    const result = await cycle.submitWithTools('go', tools)
    expect(result).toMatchObject({ endedBy: 'loop', message: { content: 'I give up' } })
    expect(ran).toHaveLength(3)
  })

  it('takes back what repeats a question that was answered, and at most four times', async () => {
    const same = call('weather', { city: 'Bonn' })
    const { cycle, tools, ran } = arrange({
      replies: [same, same, same, same, same, same, 'done'],
      options: { guards: { duplicate: true, loop: false } },
    })
    const run = cycle.run({ messages: [{ role: 'user', content: 'go' }], tools })
    const events = await eventsOf(run)
    expect(events.filter(({ type }) => type === 'rollback')).toHaveLength(4)
    expect(ran).toHaveLength(2)
    expect((await run.result).endedBy).toBe('answer')
  })

  it('asks once more after an empty answer, and fails after two', async () => {
    const { cycle, tools } = arrange({ replies: ['', 'here'] })
    await expect(cycle.submitWithTools('go', tools)).resolves.toMatchObject({ message: { content: 'here' } })
    const mute = arrange({ replies: ['', ''] })
    await expect(mute.cycle.submitWithTools('go', mute.tools)).rejects.toMatchObject({
      code: 'llm_bad_response',
    })
  })

  it('asks again with more room when a call was cut off, and never runs it', async () => {
    const cut: ScriptedReply = {
      toolCalls: [{ name: 'weather', arguments: '{"city":"Bo' }],
      finishReason: 'length',
    }
    const { cycle, tools, model, ran } = arrange({
      replies: [cut, cut, cut, 'done'],
      options: { parameters: { max_tokens: 100 } },
    })
    await cycle.submitWithTools('go', tools)
    expect(model.requests.map((request) => request['max_tokens'])).toEqual([100, 110, 121, 100])
    expect(ran).toEqual([])
    expect(texts(cycle.messages, 'tool')[0]).toMatch(/^not_executed: /)
  })
})

describe('answers', () => {
  it('finds the last box, asking for it when it is missing', async () => {
    const { cycle, tools, model } = arrange({
      replies: ['The answer is 42.', 'So: \\boxed{42}'],
      options: { answer: 'boxed' },
    })
    const result = await cycle.submitWithTools('go', tools)
    expect(result).toMatchObject({ endedBy: 'answer', boxed: '42' })
    expect(sent(model, 1).at(-1)?.content).toContain('boxed')
  })

  it.each(['The answer is \\\\boxed{9}', 'The answer is \\boxed {9}', 'The answer is \\boxed\n{9}'])(
    'finds the box of %j at once: models copy escaping, and break lines',
    async (said) => {
      const { cycle, tools, model } = arrange({ replies: [said], options: { answer: 'boxed' } })
      expect(await cycle.submitWithTools('go', tools)).toMatchObject({ endedBy: 'answer', boxed: '9' })
      expect(model.requests).toHaveLength(1)
    },
  )

  it('never invents a box', async () => {
    const { cycle, tools, model } = arrange({ replies: ['no idea'], options: { answer: 'boxed' } })
    const result = await cycle.submitWithTools('go', tools)
    expect(result.endedBy).toBe('format')
    expect(result).not.toHaveProperty('boxed')
    expect(model.requests).toHaveLength(4)
  })

  it('is an object that fits a schema', async () => {
    const { cycle, tools } = arrange({
      replies: ['Sure: {"degrees":"warm"}', '```json\n{"degrees": 20}\n```'],
      options: {
        answer: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
      },
    })
    await expect(cycle.submitWithTools('go', tools)).resolves.toMatchObject({ value: { degrees: 20 } })
  })
})

describe('hooks', () => {
  it('may change a request, the arguments and a result, and refuse a call', async () => {
    const hooks = new HookExecutor()
      .register('preRequest', () => ({ patch: { temperature: 0 } }))
      .register('preTool', ({ call: asked }) =>
        asked?.name === 'fail' ? { block: 'not today' } : { patch: { city: 'Köln' } },
      )
      .register('postTool', () => ({ patch: { value: 'patched' } }))
    const { cycle, tools, model, ran } = arrange({
      replies: [
        {
          toolCalls: [
            { name: 'weather', arguments: { city: 'x' } },
            { name: 'fail', arguments: {} },
          ],
        },
        'done',
      ],
      options: { hooks },
    })
    await cycle.submitWithTools('go', tools)
    expect(model.requests[0]?.['temperature']).toBe(0)
    expect(ran).toEqual([{ city: 'Köln' }])
    expect(texts(cycle.messages, 'tool')).toEqual(['patched', 'forbidden: not today'])
  })

  it.each([false, true])('are told of every request, answer and failure (streamed: %s)', async (streamed) => {
    const told: unknown[] = []
    const hooks = new HookExecutor()
      .register('onRetry', ({ attempt }) => void told.push(['onRetry', attempt]))
      .register('preRequest', () => void told.push(['preRequest']))
      .register('postRequest', ({ request, response }) => {
        const [choice] = (response?.['choices'] ?? []) as { message: Message }[]
        told.push(['postRequest', request?.['model'], choice?.message.content])
      })
      .register('onError', ({ error }) => void told.push(['onError', (error as { code: string }).code]))
    const { cycle, tools } = arrange({
      replies: [{ fail: 503 }, { fail: 503 }, 'fine', { fail: 400 }],
      options: { hooks },
    })
    const ask = () => (streamed ? cycle.submitStream('go', tools).result : cycle.submitWithTools('go', tools))
    await ask()
    await expect(ask()).rejects.toMatchObject({ code: 'llm_rejected' })
    expect(told).toEqual([
      ['preRequest'],
      ['onRetry', 1],
      ['onRetry', 2],
      ['postRequest', 'scripted', 'fine'],
      ['preRequest'],
      ['onError', 'llm_rejected'],
    ])
  })

  it('that throw are reported and passed over', async () => {
    const seen: string[] = []
    const hooks = new HookExecutor((event) => seen.push(event)).register('preRequest', () => {
      throw new Error('broken hook')
    })
    const { cycle, tools } = arrange({ replies: ['fine'], options: { hooks } })
    await expect(cycle.submitWithTools('go', tools)).resolves.toMatchObject({ endedBy: 'answer' })
    expect(seen).toEqual(['preRequest'])
  })

  it.each([{ messages: 'none' }, { messages: [{ content: 'x' }] }, { model: 7 }])(
    'leave a request: not %j',
    async (patch) => {
      const hooks = new HookExecutor().register('preRequest', () => ({ patch }))
      const { cycle, tools, model } = arrange({ replies: ['fine'], options: { hooks } })
      await expect(cycle.submitWithTools('go', tools)).rejects.toMatchObject({ code: 'invalid_config' })
      expect(model.requests).toEqual([])
    },
  )

  it('may refuse the whole turn', async () => {
    const hooks = new HookExecutor().register('preRequest', () => ({ block: 'closed' }))
    const { cycle, tools } = arrange({ replies: ['fine'], options: { hooks } })
    await expect(cycle.submitWithTools('go', tools)).rejects.toMatchObject({
      code: 'hook_blocked',
      message: 'closed',
    })
  })
})

describe('what a model is shown', () => {
  it('leaves out all but the newest tool results, in the copy only', async () => {
    const { cycle, tools, model } = arrange({
      replies: [call('weather', { city: 'a' }), call('weather', { city: 'b' }), 'done'],
      options: { context: { keepToolResults: 1 } },
    })
    await cycle.submitWithTools('go', tools)
    expect(texts(sent(model, 2), 'tool')).toEqual([
      'Tool result is omitted to save tokens.',
      '{"city":"b","degrees":20}',
    ])
    expect(texts(cycle.messages, 'tool')[0]).toBe('{"city":"a","degrees":20}')
  })

  it('is summarised when it does not fit any more', async () => {
    const { cycle, model, tools } = arrange({
      replies: ['one', 'two', 'the gist', 'three'],
      options: { context: { window: 4000 } },
    })
    await cycle.submitWithTools('x'.repeat(2000), tools)
    await cycle.submitWithTools('y'.repeat(2000), tools)
    const run = cycle.run({ messages: [{ role: 'user', content: 'z'.repeat(6000) }], tools })
    const events = await eventsOf(run)
    expect(events.map(({ type }) => type)).toContain('compacted')
    expect(sent(model, 3)[0]?.content).toContain('the gist')
    expect(texts(cycle.messages, 'user')[0]).toHaveLength(2000)
  })

  it('is summarised at four million characters where no window is named', async () => {
    const { cycle, model, tools } = arrange({ replies: ['one', 'the gist', 'two'] })
    for (const text of ['x', 'z']) await cycle.submitWithTools(text.repeat(2.5 * 2 ** 20), tools)
    expect(model.requests).toHaveLength(3)
    expect(sent(model, 2).map(({ content }) => String(content).slice(0, 80))).toEqual([
      expect.stringContaining('the gist'),
      'z'.repeat(80),
    ])
  })

  it('is summarised by a model that refuses more than its window, and asked for nothing but text', async () => {
    const refusedAbove = 8_000
    const summaries: JsonObject[] = []
    const { cycle, model, tools } = arrange({
      replies: [
        (request) => {
          if (stringifyJson(request).length > refusedAbove)
            return { fail: 400, failMessage: 'This model has a maximum context length of 2000 tokens' }
          const last = (request['messages'] as readonly Message[]).at(-1)
          if (!String(last?.content).includes('Summarize')) return 'an answer'
          summaries.push(request)
          return `gist ${summaries.length}`
        },
      ],
      options: {
        context: { window: 4_000 },
        parameters: {
          tool_choice: 'auto',
          parallel_tool_calls: false,
          response_format: { type: 'json_object' },
        },
        prompts: { ...DEFAULT_CYCLE_PROMPTS, summary: 'Summarize the conversation.' },
      },
    })
    for (const letter of 'abcdef') await cycle.submitWithTools(letter.repeat(4_000), tools)
    const run = cycle.run({ messages: [{ role: 'user', content: 'and now?' }], tools })
    const events = await eventsOf(run)
    expect(events.at(-1)).toMatchObject({ type: 'turn.completed', result: { endedBy: 'answer' } })
    expect(summaries.length).toBeGreaterThan(0)
    for (const request of summaries) expect(Object.keys(request).toSorted()).toEqual(['messages', 'model'])
    expect(stringifyJson(model.requests.at(-1) ?? {})).toContain(`gist ${summaries.length}`)
  })

  it('is shortened for one last answer where the model refuses every summary', async () => {
    const { cycle, tools } = arrange({
      replies: [
        (request) => {
          const messages = request['messages'] as readonly Message[]
          const isSummary = String(messages.at(-1)?.content).includes('Summarize')
          return isSummary || stringifyJson(messages).length > 9_000
            ? { fail: 400, failMessage: 'This model has a maximum context length of 2000 tokens' }
            : 'an answer'
        },
      ],
      options: { prompts: { ...DEFAULT_CYCLE_PROMPTS, summary: 'Summarize the conversation.' } },
    })
    await cycle.submitWithTools('a'.repeat(3_000), tools)
    await cycle.submitWithTools('b'.repeat(3_000), tools)
    const run = cycle.run({ messages: [{ role: 'user', content: 'c'.repeat(3_000) }], tools })
    expect((await eventsOf(run)).at(-1)).toMatchObject({
      type: 'turn.completed',
      result: { endedBy: 'context' },
    })
  })

  it('loses its oldest messages, calls with their results, where nothing else helps', async () => {
    const { cycle, model, tools } = arrange({
      replies: ['one', call('weather', { city: 'Bonn' }), 'two', 'three', 'four'],
      options: { context: { window: 2_500, compact: false } },
    })
    await cycle.submitWithTools('x'.repeat(2_000), tools)
    await cycle.submitWithTools('y', tools)
    await cycle.submitWithTools('z'.repeat(2_000), tools)
    const shown = sent(model, 3).map(({ role, content }) => `${role} ${String(content)[0]}`)
    expect(shown).toEqual([
      'assistant o',
      'user y',
      'assistant n',
      'tool T',
      'assistant t',
      'user z',
      'user N',
    ])
    await cycle.submitWithTools('w'.repeat(2_900), tools)
    expect(sent(model, 4).map(({ role }) => role)).toEqual(['assistant', 'user', 'user'])
  })

  it('is written in the protocol of the model, and no tag of it reaches a reader', async () => {
    const hermes = toolProtocol('hermes')
    let parsers = 0
    const parser = (offered?: readonly Tool[]) => {
      parsers += 1
      return hermes.parser(offered)
    }
    const { cycle, tools, model } = arrange({
      replies: [
        'I look.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Bonn"}}\n</tool_call>',
        '20 degrees',
      ],
      options: { protocol: { ...hermes, parser } },
    })
    const run = cycle.submitStream('go', tools)
    const events = await eventsOf(run)
    const text = events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('')
    expect(text).not.toContain('tool_call')
    expect((await run.result).message.content).toBe('20 degrees')
    // Each answer is read once, while it comes.
    expect(parsers).toBe(2)
    expect(model.requests[0]).not.toHaveProperty('tools')
    expect(sent(model, 0)[0]?.content).toContain('weather')
    expect(sent(model, 1).map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(sent(model, 1)[2]?.content).toContain('<tool_call>')
  })

  it('is written in the protocol of the model once, however often it is shown', async () => {
    const hermes = toolProtocol('hermes')
    let written = 0
    const encodeCalls: typeof hermes.encodeCalls = (calls) => {
      written += 1
      return hermes.encodeCalls(calls)
    }
    const looking = '<tool_call>\n{"name": "weather", "arguments": {"city": "Bonn"}}\n</tool_call>'
    const { cycle, tools } = arrange({
      replies: [looking, looking, looking, '20 degrees'],
      options: { protocol: { ...hermes, encodeCalls } },
    })
    await cycle.submitWithTools('go', tools)
    expect(written).toBe(3)
  })
})

describe('a run', () => {
  it('tells what happens, in order, and ends with exactly one last event', async () => {
    const { cycle, tools } = arrange({ replies: [call('weather', { city: 'Bonn' }), 'It is warm.'] })
    const events = await eventsOf(cycle.submitStream('go', tools))
    const types = events.map(({ type }) => type).filter((type) => type !== 'text.delta' && type !== 'usage')
    expect(types).toEqual([
      'turn.started',
      'step.started',
      'tool.called',
      'tool.result',
      'step.started',
      'turn.completed',
    ])
    expect(events.at(-1)).toMatchObject({ result: { status: 'completed', steps: 2, toolCalls: 1 } })
  })

  it('tells the beginning of a result, and all of it up to a bound', async () => {
    const { cycle, tools } = arrange({ replies: [call('long'), 'done'] })
    const events = await eventsOf(cycle.submitStream('go', tools))
    const told = events.find((event) => event.type === 'tool.result')
    expect(told).toMatchObject({
      preview: `${'x'.repeat(200)}…`,
      output: `${'x'.repeat(32_768)}\n... [Result truncated]`,
    })
  })

  it('is cancelled within a moment, whatever its tools do', async () => {
    const { cycle } = arrange({ replies: [call('stuck'), 'done'] })
    const tools = new ToolRegistry()
    const run = new Promise<void>((reached) => {
      tools.register({
        name: 'stuck',
        execute: () => {
          reached()
          return new Promise(() => {})
        },
      })
    })
    const turn = cycle.submitStream('go', tools)
    await run
    turn.cancel()
    expect((await eventsOf(turn)).at(-1)).toEqual({ type: 'turn.cancelled' })
    await expect(turn.result).rejects.toThrow()
    expect(cycle.messages).toEqual([])
  })

  it('refuses a call that needs approval where there is nobody to ask, and keeps what ran beside it', async () => {
    const both = [
      { name: 'weather', arguments: { city: 'Bonn' } },
      { name: 'ask_first', arguments: {} },
    ]
    const { cycle, tools, ran } = arrange({ replies: [{ toolCalls: both }, 'done'] })
    expect(await cycle.submitWithTools('go', tools)).toMatchObject({ text: 'done', toolCalls: 1 })
    expect(ran).toHaveLength(1)
    expect(texts(cycle.messages, 'tool')).toEqual([
      expect.stringContaining('degrees'),
      expect.stringMatching(/^forbidden: /),
    ])
  })

  it.each<[string, Approve, string, readonly string[]]>([
    ['yes', () => true, 'approved', ['done']],
    ['no', () => false, 'rejected', ['approval_rejected: no reason was given']],
    [
      'no, and why',
      async () => ({ decision: 'reject', reason: 'not today' }),
      'rejected',
      ['approval_rejected: not today'],
    ],
  ])('asks a person: %s', async (_reply, approve, status, results) => {
    const { cycle, tools } = arrange({ replies: [call('ask_first'), 'ok'], options: { approve } })
    const run = cycle.submitStream('go', tools)
    const events = await eventsOf(run)
    expect(events.filter(({ type }) => type.startsWith('approval.'))).toMatchObject([
      { type: 'approval.required', approval: { tool: 'ask_first', status: 'pending' } },
      { type: 'approval.resolved', approval: { tool: 'ask_first', status } },
    ])
    expect(texts(cycle.messages, 'tool')).toEqual(results)
    expect((await run.result).text).toBe('ok')
  })

  it('runs a call with the arguments that a person wrote, if they fit', async () => {
    const paid: JsonObject[] = []
    const tools = new ToolRegistry().register({
      name: 'pay',
      permission: 'ask',
      parameters: { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] },
      execute: (args) => void paid.push(args),
    })
    const replies = [call('pay', { amount: 1000 }), 'paid']
    const edited = (args: JsonObject): Approve => {
      return ({ arguments: asked }) => ({ decision: 'edit', arguments: { ...asked, ...args } })
    }
    const { cycle } = arrange({ replies, options: { approve: edited({ amount: 10 }) } })
    await cycle.submitWithTools('pay', tools)
    expect(paid).toEqual([{ amount: 10 }])
    const other = arrange({ replies }).cycle
    const turn = other.submitWithTools('pay', tools, { approve: edited({ amount: 'all' }) })
    await expect(turn).rejects.toMatchObject({ code: 'invalid_request', param: 'arguments' })
    expect(paid).toHaveLength(1)
  })

  it('leaves no trace in the history when it fails', async () => {
    const { cycle, tools } = arrange({ replies: [{ fail: 401 }] })
    await expect(cycle.submitWithTools('go', tools)).rejects.toMatchObject({ code: 'llm_unavailable' })
    expect(cycle.messages).toEqual([])
  })
})
