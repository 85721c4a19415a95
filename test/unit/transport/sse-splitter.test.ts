import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { payloadsOf, SseSplitter } from '../../../src/transport/sse-splitter.js'

interface Split {
  readonly text: string
  readonly payloads: readonly string[]
  readonly done: boolean
  readonly batches: number
}

function split(chunks: readonly (string | Buffer)[], maxEventBytes = 1_000_000): Split {
  const batches: Buffer[] = []
  let done = false
  const splitter = new SseSplitter(
    { onEvents: (events) => batches.push(Buffer.from(events)), onDone: () => (done = true) },
    maxEventBytes,
  )
  for (const chunk of chunks) splitter.push(Buffer.from(chunk))
  splitter.end()
  const all = Buffer.concat(batches)
  return { text: all.toString(), payloads: payloadsOf(all), done, batches: batches.length }
}

const byteByByte = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.from([byte]))

const rows: readonly { name: string; input: string; payloads: readonly string[]; done?: boolean }[] = [
  { name: 'canonical', input: 'data: {"a":1}\n\ndata: {"b":2}\n\n', payloads: ['{"a":1}', '{"b":2}'] },
  { name: 'done', input: 'data: {}\n\ndata: [DONE]\n\n', payloads: ['{}'], done: true },
  { name: 'nothing after done', input: 'data: [DONE]\n\ndata: {}\n\n', payloads: [], done: true },
  { name: 'CRLF', input: 'data: {}\r\n\r\ndata: [DONE]\r\n\r\n', payloads: ['{}'], done: true },
  { name: 'CR', input: 'data: {}\r\rdata: [DONE]\r\r', payloads: ['{}'], done: true },
  { name: 'mixed line ends', input: 'data: 1\r\n\ndata: 2\n\rdata: 3\n\n', payloads: ['1', '2', '3'] },
  { name: 'no space', input: 'data:{}\n\ndata:[DONE]\n\n', payloads: ['{}'], done: true },
  { name: 'only one space is dropped', input: 'data:  x\n\n', payloads: [' x'] },
  { name: 'comments', input: ': hi\n\ndata: {}\n: there\n\n:\n\n', payloads: ['{}'] },
  { name: 'several data lines', input: 'data: {\ndata: }\n\n', payloads: ['{\n}'] },
  { name: 'data without colon', input: 'data\n\n', payloads: [''] },
  { name: 'unknown fields', input: 'foo: 1\nretry: 3\ndata: 1\n\n', payloads: ['1'] },
  { name: 'event without data', input: 'event: x\n\ndata: 1\n\n', payloads: ['1'] },
  { name: 'byte order mark', input: '\ufeffdata: 1\n\n', payloads: ['1'] },
  {
    name: 'done inside data is data',
    input: 'data: {"x":"data: [DONE]"}\n\n',
    payloads: ['{"x":"data: [DONE]"}'],
  },
  { name: 'more blank lines', input: '\n\n\ndata: 1\n\n\n\ndata: 2\n\n', payloads: ['1', '2'] },
  { name: 'UTF-8', input: 'data: "中文 😀"\n\n', payloads: ['"中文 😀"'] },
  { name: 'end without blank line', input: 'data: {"a":1}\n', payloads: ['{"a":1}'] },
  { name: 'end without line end', input: 'data: {"a":1}', payloads: ['{"a":1}'] },
  { name: 'done without line end', input: 'data: 1\n\ndata: [DONE]', payloads: ['1'], done: true },
  { name: 'half an event at the end', input: 'data: 1\n\ndata: {"a":', payloads: ['1'] },
  { name: 'empty', input: '', payloads: [] },
]

describe('SseSplitter', () => {
  it.each(rows)('$name', ({ input, payloads, done = false }) => {
    expect(split([input])).toMatchObject({ payloads, done })
  })

  it.each(rows)('$name, one byte at a time', ({ input, payloads, done = false }) => {
    expect(split(byteByByte(input))).toMatchObject({ payloads, done })
  })

  it('passes canonical bytes on as they are, in one piece', () => {
    const text = 'data: {"a":1}\n\ndata: {"b":2}\n\n'
    expect(split([text])).toMatchObject({ text, batches: 1 })
  })

  it('finds its way back to the fast path after a cut event', () => {
    const event = 'data: {"a":1}\n\n'
    expect(split([`${event}data: {"`, `b":2}\n\n${event}${event}`])).toMatchObject({
      text: `${event}data: {"b":2}\n\n${event}${event}`,
      batches: 3,
    })
  })

  it('keeps names and ids', () => {
    expect(split(['id:7\r\nevent:x\r\ndata:1\r\n\r\n']).text).toBe('event: x\nid: 7\ndata: 1\n\n')
  })

  it('gives up on an event that outgrows the limit, in one chunk or many', () => {
    const huge = `data: ${'x'.repeat(2000)}`
    expect(() => split([huge], 1000)).toThrow(RangeError)
    expect(() => split(byteByByte(huge), 1000)).toThrow(RangeError)
  })

  it('gives up on an event of very many lines', () => {
    const lines = (count: number) => ['data:\n'.repeat(count)]
    expect(() => split(lines(10_000))).not.toThrow()
    expect(() => split(lines(10_001))).toThrow(RangeError)
  })

  it('accepts an event just under the limit, in one chunk or many', () => {
    const large = `data: ${'x'.repeat(900)}\n\n`
    expect(split([large.slice(0, 500), large.slice(500)], 1000).payloads).toHaveLength(1)
    expect(split(byteByByte(large.repeat(3)), 1000).payloads).toHaveLength(3)
  })

  it('reads what eventsource-parser reads, however it is cut', () => {
    const line = fc.constantFrom(
      'data: {}',
      'data:1',
      'data',
      ': c',
      'event: e',
      'id: 1',
      'data: é中😀',
      'x',
      '',
    )
    const end = fc.constantFrom('\n', '\r\n', '\r')
    const text = fc.array(fc.tuple(line, end)).map((lines) => `${lines.flat().join('')}\n\n`)
    fc.assert(
      fc.property(text, fc.array(fc.nat(200)), (input, cuts) => {
        const expected: string[] = []
        createParser({ onEvent: ({ data }) => expected.push(data) }).feed(input)
        const bytes = Buffer.from(input)
        const at = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((one, other) => one - other)
        const chunks = [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length))
        expect(split(chunks).payloads).toEqual(expected)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('an event of very many lines', () => {
  it('is refused before it is put together, and one of many is read', () => {
    const lines = (count: number) => 'data: 1\n'.repeat(count)
    expect(split([`${lines(10_000)}\n`]).payloads).toEqual([Array(10_000).fill('1').join('\n')])
    expect(() => split([lines(300_000)], 8_000_000)).toThrow('an event has more than 10000 lines of data')
  })
})
