import { expect, it } from 'vitest'
import { extractBoxed } from '../../../src/protocols/boxed.js'
import { parseToolCalls } from '../../../src/protocols/parse-calls.js'
import type { Part, ProtocolId } from '../../../src/protocols/protocol.js'
import { toolProtocol } from '../../../src/protocols/tool-protocol.js'
import { readPieces, units } from '../../support/read-parts.js'

const PING = '<tool_call>{"name":"ping","arguments":{}}</tool_call>'
const CODER_PING = '<tool_call>\n<function=ping>\n</function>\n</tool_call>'
const coder = (body: string) =>
  `<tool_call>\n<function=save_note>\n<parameter=path>\na\n</parameter>\n<parameter=body>\n${body}\n</parameter>\n</function>\n</tool_call>`
const kimi = (id: string, section: string) =>
  `<|${section}_begin|><|tool_call_begin|>${id}<|tool_call_argument_begin|>{}<|tool_call_end|><|${section}_end|>`
const call = (name: string, args: object, id?: string): Part => ({
  kind: 'call',
  name,
  arguments: JSON.stringify(args),
  ...(id !== undefined && { id }),
})
const text = (words: string): Part => ({ kind: 'text', text: words })

/** Each was read wrong once: a shortened value, lost arguments or ids, a quoted call that was called, a call that was not. */
const ROWS: readonly (readonly [name: string, ProtocolId, string, readonly Part[]])[] = [
  ...['one </parameter> two', 'one <parameter=x> two', 'one </function> two', CODER_PING].map(
    (body) =>
      [`a value with ${body}`, 'qwen-coder', coder(body), [call('save_note', { path: 'a', body })]] as const,
  ),
  ...['args', 'input', 'parameters'].map(
    (key) =>
      [
        `arguments as ${key}`,
        'hermes',
        `<tool_call>{"name":"log_entry","${key}":{"a":1}}</tool_call>`,
        [call('log_entry', { a: 1 })],
      ] as const,
  ),
  [
    'arguments beside the name',
    'hermes',
    '<tool_call>{"name":"tide_at","port":"Brest"}</tool_call>',
    [call('tide_at', { port: 'Brest' })],
  ],
  ['backticks', 'hermes', `Models write \`${PING}\` and wait.`, [text(`Models write \`${PING}\` and wait.`)]],
  ['a block quote', 'hermes', `> ${PING}`, [text(`> ${PING}`)]],
  [
    'an id that names no tool',
    'kimi',
    kimi('call00003', 'tool_calls_section'),
    [
      {
        kind: 'malformed',
        raw: '<|tool_call_begin|>call00003<|tool_call_argument_begin|>{}<|tool_call_end|>',
        reason: '"call00003" names no tool',
      },
    ],
  ],
  ...['tool_calls_section', 'tool_call_section'].map(
    (section) =>
      [
        `an id in <|${section}_begin|>`,
        'kimi',
        kimi('functions.tide_at:0', section),
        [call('tide_at', {}, 'functions.tide_at:0')],
      ] as const,
  ),
  [
    'a thought that never closes',
    'hermes',
    `<think>hm\n${PING}`,
    [{ kind: 'reasoning', text: 'hm\n' }, call('ping', {})],
  ],
]

it.each(ROWS)('%s', (_, id, output, parts) => {
  expect(readPieces(toolProtocol(id).parser(), [output])).toEqual(parts)
  expect(readPieces(toolProtocol(id).parser(), units(output))).toEqual(parts)
})

it.each(['\\\\boxed{9}', '\\boxed {9}', '\\boxed\n{9}'])('the answer of %j', (words) => {
  expect(extractBoxed(words)).toBe('9')
})

it('takes options and tools in the shapes that people have', () => {
  const coded = coder('7').replaceAll('body', 'count')
  const parameters = { type: 'object', properties: { count: { type: 'integer' } } }
  const tools = [{ type: 'function', function: { name: 'save_note', parameters } }]
  const { calls } = parseToolCalls(coded, { protocol: 'qwen-coder', tools })
  expect(calls.map((each) => each.arguments)).toEqual([{ path: 'a', count: 7 }])
})
