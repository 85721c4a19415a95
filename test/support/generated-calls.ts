import fc from 'fast-check'
import { type EncodableCall, PROTOCOL_IDS } from '../../src/protocols/protocol.js'
import type { Tool } from '../../src/tools/toolbox.js'
import type { JsonValue } from '../../src/util/json/json.js'

/** The protocols that are text. */
export const TEXT_PROTOCOLS = PROTOCOL_IDS.filter((id) => id !== 'native')

const TAGS = [
  '</tool_call>',
  '<tool_call>',
  '</use_mcp_tool>',
  '</arguments>',
  '<think>',
  '</think>',
  '</parameter>',
  '<\\/parameter>',
  '<parameter=x>',
  '</function>',
  '</arg_value>',
  '<\\\\arg_value>',
  '<|tool_call_end|>',
  '<|tool_calls_section_end|>',
  '<｜tool▁call▁end｜>',
  '<|python_tag|>',
  '<|python_end|>',
  '[TOOL_CALLS]',
  '[ARGS]',
  '<|END_ACTION|>',
  '</invoke>',
  '</｜DSML｜parameter>',
  '<|close|>argument<|sep|>',
  ']<]minimax[>[</invoke>',
  ']<]minimax[>[<x>',
  '<|"|>',
  '<escape>',
  '<tool_call|>',
  '</steptml:parameter>',
  '<|call|>',
  '<|channel|>',
  '```\n',
  '~~~',
]

const piece = fc.oneof(
  fc.constantFrom(...TAGS),
  fc.constantFrom(
    '\\',
    '\\"',
    '"',
    "'",
    '{',
    '}',
    ']',
    '\n',
    '\r\n',
    ' ',
    '<',
    '查询',
    '🙂',
    '\u2028',
    '\\u12',
    'C:\\new',
  ),
  fc.string({ maxLength: 6, unit: 'grapheme' }),
)
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''))

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(toReadable),
    fc.boolean(),
    fc.constant(null),
    fc.bigInt({ min: 2n ** 60n, max: 2n ** 70n }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
}))

const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,12}$/)
const argumentName = fc.oneof(
  fc.stringMatching(/^[a-z_][a-zA-Z0-9_.-]{0,10}$/),
  fc.constantFrom('路径', 'naïve key'),
)

/** Calls of one message: any values, also those that hold the tags of every form. */
export const generatedCalls = fc.array(
  fc.record({ name, arguments: fc.dictionary(argumentName, value, { maxKeys: 4, noNullPrototype: true }) }),
  { minLength: 1, maxLength: 3 },
) as fc.Arbitrary<EncodableCall[]>

/** Tools that fit the calls; forms without types read them from their schemas. */
export function toolsOf(calls: readonly EncodableCall[]): Tool[] {
  return calls.map((call) => ({
    name: call.name,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(call.arguments).map(([key, member]) => [key, { type: typeOf(member) }]),
      ),
    },
    call: () => Promise.reject(new Error('is not called')),
  }))
}

/** Integers beyond 2^53 are read as bigint, and there is no -0 in JSON. */
function toReadable(number: number): number {
  return Object.is(number, -0) || (Number.isInteger(number) && !Number.isSafeInteger(number)) ? 0.5 : number
}

function typeOf(member: JsonValue): string {
  if (member === null) return 'null'
  if (Array.isArray(member)) return 'array'
  return typeof member === 'bigint' ? 'integer' : typeof member
}
