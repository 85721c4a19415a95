import { isDeepStrictEqual } from 'node:util'
import protobuf from 'protobufjs'
import descriptor from 'protobufjs/ext/descriptor/index.js'
import { describe, expect, it } from 'vitest'
import { findGrpcMethod, parseMethodName, readDescriptors } from '../../../src/transport/grpc-schema.js'
import { decodeInPieces, decodeMessage, encodeMessage } from '../../../src/transport/protobuf-json.js'
import { createRandom } from '../../support/random.js'
import { someRuns } from '../../support/some-runs.js'

function file(changes: object): Uint8Array {
  const plain = {
    name: 'demo.proto',
    package: 'demo',
    syntax: 'proto3',
    messageType: [{ name: 'Text', field: [{ name: 'text', number: 1, label: 1, type: 9 }] }],
    service: [{ name: 'S', method: [{ name: 'Call', inputType: '.demo.Text', outputType: '.demo.Text' }] }],
    ...changes,
  }
  const type = descriptor.FileDescriptorProto
  return type.encode(type.fromObject(plain)).finish()
}

describe('readDescriptors', () => {
  it('finds unary methods', () => {
    const root = readDescriptors([file({})])
    const method = findGrpcMethod(root, parseMethodName('demo.S/Call'))
    expect(method?.path).toBe('/demo.S/Call')
    const bytes = encodeMessage(method?.requestType as protobuf.Type, { text: 'é' })
    expect(decodeMessage(method?.responseType as protobuf.Type, bytes)).toEqual({ text: 'é' })
  })

  it.each([
    ['code in a message name', { messageType: [{ name: 'x(){}; process.exit(); function y' }] }],
    ['a prototype name', { messageType: [{ name: '__proto__' }] }],
    [
      'a field of the prototype',
      { messageType: [{ name: 'A', field: [{ name: 'constructor', number: 1, type: 9 }] }] },
    ],
    [
      'code in a field name',
      { messageType: [{ name: 'A', field: [{ name: 'a"]; x', number: 1, type: 9 }] }] },
    ],
    ['code in a package', { package: 'demo; x' }],
    ['code in an enum', { enumType: [{ name: 'E', value: [{ name: 'A-B', number: 0 }] }] }],
    [
      'an unknown type',
      { messageType: [{ name: 'A', field: [{ name: 'a', number: 1, type: 11, typeName: '.no.Such' }] }] },
    ],
  ])('refuses %s', (_name, changes) => {
    expect(() => readDescriptors([file(changes)])).toThrow("the server's reflection is unusable")
  })

  it('refuses bytes that are no descriptor', () => {
    expect(() => readDescriptors([new Uint8Array([1, 2, 3, 255])])).toThrow()
  })
})

describe('parseMethodName', () => {
  it.each(['a.b.S/M', '/a.b.S/M', 'a.b.S.M'])('reads %s', (text) =>
    expect(parseMethodName(text)).toEqual({ service: 'a.b.S', method: 'M' }),
  )
  it.each(['', 'M', 'a/b/c', 'S/M x', 'S/__proto__\n'])('refuses %j', (text) =>
    expect(() => parseMethodName(text)).toThrow('is not a gRPC method'),
  )
})

describe('values at the edges of the JSON mapping', () => {
  const { root } = protobuf.parse(
    'syntax="proto3"; message M { double d = 1; map<int64, string> m = 2; oneof o { string a = 3; int32 b = 4; } fixed64 f = 5; }',
    { keepCase: true },
  )
  const type = root.lookupType('M')
  const roundTrip = (value: Parameters<typeof encodeMessage>[1]) =>
    decodeMessage(type, encodeMessage(type, value))

  it.each([
    [{ d: 'NaN' }, { d: 'NaN', m: {}, f: 0 }],
    [
      { d: '-Infinity', f: '18446744073709551615' },
      { d: '-Infinity', m: {}, f: 18446744073709551615n },
    ],
    [{ m: { '9007199254740993': 'x' } }, { d: 0, m: { '9007199254740993': 'x' }, f: 0 }],
    [{ a: '' }, { d: 0, m: {}, a: '', f: 0 }],
    [
      { b: 0, d: null },
      { d: 0, m: {}, b: 0, f: 0 },
    ],
  ])('%j', (given, expected) => expect(roundTrip(given)).toEqual(expected))
})

describe('a long message', () => {
  const { root } = protobuf.parse(
    `syntax="proto3"; import "google/protobuf/struct.proto"; import "google/protobuf/wrappers.proto";
     import "google/protobuf/timestamp.proto"; import "google/protobuf/duration.proto";
     enum Kind { ANY = 0; TYPE = 1; }
     message Part { string text = 1; repeated Part parts = 2; optional bool exact = 3; Kind kind = 4; }
     message M {
       repeated int32 packed = 1; repeated int64 loose = 2 [packed = false]; repeated Kind kinds = 3;
       map<int64, string> texts = 4; map<string, Part> parts = 5; map<bool, double> ratios = 6;
       Part part = 7; repeated Part list = 8; oneof o { string a = 9; Part b = 10; } bytes token = 11;
       google.protobuf.Struct filter = 12; google.protobuf.Value value = 13; repeated google.protobuf.Value values = 14;
       google.protobuf.Timestamp since = 15; google.protobuf.Duration wait = 16; google.protobuf.Int64Value wide = 17;
       sint32 s = 18; fixed64 f = 19; float x = 20; repeated bytes tokens = 21; sfixed32 q = 22;
     }`,
    { keepCase: true },
  )
  for (const name of ['struct', 'wrappers', 'timestamp', 'duration'] as const)
    root.addJSON(protobuf.common.get(`google/protobuf/${name}.proto`)?.nested ?? {})
  const type = root.resolveAll().lookupType('M')
  const list = <Item>(count: number, item: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => item(index))
  const part = (index: number) => ({
    text: `é${index}`,
    parts: [{ text: 'a' }],
    exact: index % 2 === 0,
    kind: 'TYPE',
  })
  const WHOLE = encodeMessage(type, {
    ...{ packed: list(900, (i) => i - 450), loose: list(300, (i) => `${i}9007199254740993`.slice(-18)) },
    ...{
      kinds: list(200, (i) => i % 3),
      texts: { '-9007199254740993': 'x', '7': 'y' },
      ratios: { true: 1.5 },
    },
    ...{ parts: { one: part(1), __proto__x: part(2) }, part: part(3), list: list(400, part), b: part(4) },
    ...{
      token: 'AAEC',
      filter: { a: [1, { b: null }], c: 'd' },
      value: [[[true]]],
      values: list(200, (i) => ({ i })),
    },
    ...{
      since: '2026-01-31T12:00:00.5Z',
      wait: '-1.5s',
      wide: 7,
      s: -3,
      f: 9,
      x: 0.5,
      tokens: ['AA=='],
      q: -1,
    },
  })

  it('is decoded in pieces to what the library makes of it', async () => {
    expect(await decodeInPieces(type, WHOLE)).toEqual(decodeMessage(type, WHOLE))
  })

  it('is refused where the library refuses it, cut off or with other bytes', async () => {
    const random = createRandom(7)
    for (let run = 0; run < someRuns(300); run += 1) {
      const bytes = Buffer.from(WHOLE)
      for (let change = 0; change < 3; change += 1) bytes[random.below(bytes.length)] = random.below(256)
      const given = run % 4 === 0 ? WHOLE.subarray(0, 4_200 + random.below(WHOLE.length - 4_200)) : bytes
      const [ours, theirs] = [
        await outcomeOf(() => decodeInPieces(type, given)),
        await outcomeOf(() => decodeMessage(type, given)),
      ]
      if (!isDeepStrictEqual(ours, theirs)) expect([run, ours]).toEqual([run, theirs])
    }
  })

  it.each([
    [
      'very many parts',
      Buffer.concat(list(110_000, () => Buffer.from([0x42, 0]))),
      'has more than 100000 values',
    ],
    [
      'very many numbers',
      Buffer.concat([Buffer.from([0x0a]), varint(110_000), Buffer.alloc(110_000)]),
      'has more than 100000 values',
    ],
    ['very deep parts', deep(3_000), 'is nested deeper than 200 levels'],
    ['a part that is cut off', WHOLE.subarray(0, WHOLE.length - 2), 'is not a M'],
  ])('is bounded: %s', async (_name, bytes, problem) => {
    await expect(decodeInPieces(type, bytes)).rejects.toThrow(problem)
  })

  async function outcomeOf(decode: () => unknown): Promise<unknown> {
    try {
      return await decode()
    } catch {
      return 'refused'
    }
  }
})

/** A part in a part, and so on. */
function deep(levels: number): Buffer {
  let bytes = Buffer.alloc(0)
  for (let level = 0; level < levels; level += 1)
    bytes = Buffer.concat([Buffer.from([0x12]), varint(bytes.length), bytes])
  return Buffer.concat([Buffer.from([0x3a]), varint(bytes.length), bytes])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest & 127) | 128)
  }
}
