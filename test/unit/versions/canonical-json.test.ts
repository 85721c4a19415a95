import { expect, it } from 'vitest'
import { parseJson } from '../../../src/util/json/json.js'
import { jcsText, writeCanonicalJson } from '../../../src/versions/canonical-json.js'

// The examples of RFC 8785, sections 3.2.2 and 3.2.3.
it.each([
  [
    String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  ],
  [
    String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
    `{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}`,
  ],
])('writes %s', (text, expected) => expect(jcsText(parseJson(text))).toBe(expected))

// Its appendix B: IEEE 754 bits and the number as text.
it.each([
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
])('writes the number %s as %s', (bits, expected) =>
  expect(jcsText(Buffer.from(bits, 'hex').readDoubleBE(0))).toBe(expected),
)

it.each([
  [
    'a big integer, as its digits',
    '{"b":123456789012345678901,"a":[-9007199254740993]}',
    '{"a":[-9007199254740993],"b":123456789012345678901}',
  ],
  ['names that look like indexes, as texts', '{"9":1,"10":2,"a":3}', '{"10":2,"9":1,"a":3}'],
  ['a name that objects inherit', '{"b":1,"__proto__":{"y":1,"x":2}}', '{"__proto__":{"x":2,"y":1},"b":1}'],
  ['empty values', '{"a":{},"b":[],"c":""}', '{"a":{},"b":[],"c":""}'],
])('writes %s', (_name, text, expected) => expect(jcsText(parseJson(text))).toBe(expected))

it('leaves out what is undefined, as JSON does', () =>
  expect(jcsText({ b: undefined, a: [undefined] })).toBe('{"a":[null]}'))

it('writes large documents in pieces', () => {
  const value = { list: Array.from({ length: 20_000 }, (_each, index) => ({ b: index, a: 'text' })) }
  const pieces: string[] = []
  const work = writeCanonicalJson(value, (piece) => pieces.push(piece))
  while (work.next().done !== true);
  expect(pieces.length).toBeGreaterThan(10)
  expect(pieces.join('')).toBe(`{"list":[${value.list.map(({ b }) => `{"a":"text","b":${b}}`).join(',')}]}`)
})
