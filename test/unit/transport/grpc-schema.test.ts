import protobuf from 'protobufjs'
import descriptor from 'protobufjs/ext/descriptor/index.js'
import { describe, expect, it } from 'vitest'
import { findMethod, parseMethodName, readDescriptors } from '../../../src/transport/grpc-schema.js'
import { decodeMessage, encodeMessage } from '../../../src/transport/protobuf-json.js'

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
    const method = findMethod(root, parseMethodName('demo.S/Call'))
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
