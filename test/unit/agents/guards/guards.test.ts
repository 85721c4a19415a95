import { describe, expect, it } from 'vitest'
import { finalPrompt, ROLE_PROMPTS } from '../../../../src/agents/guards/final-answer.js'
import {
  formatNote,
  malformedNotes,
  refusalNote,
  repeatsItself,
} from '../../../../src/agents/guards/judge-answer.js'
import { duplicateNote, findDuplicates, loopVerdict } from '../../../../src/agents/guards/judge-calls.js'
import type { Part, ProtocolId } from '../../../../src/protocols/protocol.js'
import { callKey, type Tool } from '../../../../src/tools/toolbox.js'
import { processorTime } from '../../../support/processor-time.js'

const text: Part = { kind: 'text', text: 'words' }
const call: Part = { kind: 'call', name: 'f', arguments: '{}' }
const broken: Part = { kind: 'malformed', raw: '<tool_call>x', reason: '</tool_call> is missing' }

describe('format', () => {
  const rows: readonly (readonly [string, readonly Part[], ProtocolId, boolean])[] = [
    ['an answer', [text], 'hermes', false],
    ['a call', [text, call], 'hermes', false],
    ['a malformed call alone', [text, broken], 'hermes', true],
    ['a malformed call beside a whole one', [call, broken], 'hermes', false],
    ['native calls', [broken], 'native', false],
    ['nothing', [], 'hermes', false],
  ]
  it.each(rows)('%s', (_, parts, protocol, asked) => {
    expect(formatNote(parts, protocol) !== undefined).toBe(asked)
  })

  it('names the exact error, and quotes no more than a part of a long message', () => {
    expect(formatNote([broken], 'hermes')).toContain('- </tool_call> is missing: "<tool_call>x"')
    expect(malformedNotes([call, broken])).toHaveLength(1)
    const [note] = malformedNotes([{ kind: 'malformed', raw: 'x'.repeat(10_000), reason: 'r' }])
    expect(note?.length).toBeLessThan(400)
  })
})

describe('refusal', () => {
  const says = (words: string, more = {}) => ({ text: words, calls: false, isBoxed: () => false, ...more })
  it.each([
    ['gives up', says('Due to Time Constraints I stop here.'), undefined, true],
    ['any apostrophe', says('I’m sorry, but I can’t help.'), undefined, true],
    ['any apostrophe', says("I'm sorry, but I can't help."), undefined, true],
    ['an answer', says('The time is 12.'), undefined, false],
    ['does something all the same', says('time constraint', { calls: true }), undefined, false],
    ['has an answer in a box', says('time constraint \\boxed{1}', { isBoxed: () => true }), undefined, false],
    ['words of its own', says('No way.'), ['no WAY'], true],
    ['turned off', says('time constraint'), [], false],
  ])('%s', (_, input, keywords, asked) => {
    expect(refusalNote(input, keywords) !== undefined).toBe(asked)
  })
})

describe('callKey', () => {
  const tool = (dedupeKey?: Tool['dedupeKey']): Tool => ({
    name: 'm_read',
    parameters: {},
    ...(dedupeKey === undefined ? {} : { dedupeKey }),
    call: () => Promise.reject(new Error('is not called')),
  })
  it('is the tool and all arguments, whatever their order', () => {
    const key = callKey({ name: 'read', server: 'm', arguments: { a: 1, b: { c: [1], d: null } } })
    expect(callKey({ name: 'read', server: 'm', arguments: { b: { d: null, c: [1] }, a: 1 } })).toBe(key)
    expect(callKey({ name: 'read', server: 'm', arguments: { b: { d: null, c: [1] }, a: 2 } })).not.toBe(key)
    expect(callKey({ name: 'read', arguments: { a: 1, b: { c: [1], d: null } } })).not.toBe(key)
  })

  it('is the same by whatever name the tool was called', () => {
    const args = { page: 2n ** 60n }
    expect(callKey({ name: 'read', server: 'm', arguments: args }, tool())).toBe(
      callKey({ name: 'm_read', arguments: args }, tool()),
    )
  })

  it('is what the tool says', () => {
    const byUrl = tool(({ url }) => String(url))
    expect(callKey({ name: 'x', arguments: { url: 'u', page: 1 } }, byUrl)).toBe('m_read u')
  })
})

describe('duplicate', () => {
  const before = new Set(['f {}', 'g {}'])
  const made = (key: string, readOnly: boolean) => ({ name: 'f', key, readOnly })
  it.each([
    ['the first time', [made('h {}', true)], []],
    ['again', [made('h {}', true), made('f {}', true)], ['f {}']],
    ['again, but it changes something', [made('f {}', false)], []],
  ])('%s', (_, calls, found) => {
    expect(findDuplicates(calls, before).map(({ key }) => key)).toEqual(found)
  })

  it('names the calls', () => {
    expect(duplicateNote([made('f {"q":"x"}', true)])).toContain('- f {"q":"x"}')
  })
})

describe('loop', () => {
  it.each([
    [[], 'a', 'run'],
    [['a'], 'a', 'run'],
    [['a', 'a'], 'a', 'note'],
    [['a', 'a', 'a'], 'a', 'stop'],
    [['a', 'a', 'a', 'a', 'a'], 'a', 'stop'],
    [['a', 'a', 'a'], 'b', 'run'],
    [['a', 'a', 'b'], 'a', 'run'],
    [['b', 'a', 'a'], 'a', 'note'],
  ])('%j, then %s: %s', (history, key, verdict) => {
    expect(loopVerdict(history, key)).toBe(verdict)
  })
})

describe('repetition', () => {
  const line = 'This sentence is exactly fifty characters long, ok.'.slice(0, 50)
  it.each([
    ['a short answer', 'yes '.repeat(20), false],
    ['five times', line.repeat(5), false],
    ['six times', line.repeat(6), true],
    ['six times, with other text and white space behind', `Well: ${`${line}\n`.repeat(6)}\n`, true],
    ['only at the end', `${'abc def ghi '.repeat(100)}${line}`, false],
    ['one character', '!'.repeat(299), false],
    ['one character for long', '!'.repeat(300), true],
    ['nothing', '', false],
  ])('%s', (_, answer, stuck) => {
    expect(repeatsItself(answer)).toBe(stuck)
  })

  it('is looked for in no more time where much is like the end', () => {
    const like = `${'x'.repeat(2_000_000)}${'x'.repeat(30)}${'y'.repeat(20)}`
    const unlike = `${'z'.repeat(2_000_000)}${'x'.repeat(30)}${'y'.repeat(20)}`
    const [slow, fast] = [like, unlike].map((answer) => processorTime(() => repeatsItself(answer)))
    expect(slow).toBeLessThan(10 * ((fast ?? 0) + 1))
  })
})

describe('final answer', () => {
  it('asks without tools, in the words of the role, with the task', () => {
    const main = finalPrompt({ agentRole: 'main', boxed: true, task: 'How many?' })
    const browsing = finalPrompt({ agentRole: 'browsing', boxed: false, task: 'How many?' })
    for (const prompt of [main, browsing]) expect(prompt).toMatch(/No more tools[\s\S]*How many\?/)
    expect(main).toContain('\\boxed{}')
    expect(browsing).not.toContain('\\boxed{}')
    expect(browsing).toContain('Invent nothing')
    expect(ROLE_PROMPTS.browsing).toContain('Do not infer')
  })
})
