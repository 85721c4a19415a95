import { describe, expect, it } from 'vitest'
import { type JsonObject, parseJson } from '../../../src/util/json/json.js'
import { jsonObject } from '../../../src/util/json/json-fields.js'
import { digestOf, makeVersion, readVersion, VersionFault } from '../../../src/versions/version-document.js'

const name = { kind: 'templates', id: 'review.code_review', number: 8 } as const
const partials = new Map([
  ['review.rules', { from: 'templates:review:rules', document: { userPrompt: 'No eval.' } }],
  ['review.tone', { from: 'bundled', document: { userPrompt: 'Be kind.', seed: 12345678901234567890n } }],
])
const document = { userPrompt: '{{ template "review.rules" }} {{ .variables.code }}', options: { n: 1 } }
const content = { ...name, document, partials }
// Printed once; what has them is stored by users, so they never change.
const DIGEST = '900b7b902f03aaca88d2479e5acce6137f2e1ef53ff6c5d053bcdb1a7f2e2621'
const BARE = '799759028dc4e9494badc140eb1327c5eafccba6e43a4d5f7c6cf4ee2e451f16'

describe('a version', () => {
  it('has the digest that it always had', () => {
    expect(digestOf(content)).toBe(DIGEST)
    const bare = { kind: 'agents', id: 'helper', number: 1, document: {}, partials: new Map() } as const
    expect(digestOf(bare)).toBe(BARE)
  })

  it('is read as it was written', () => {
    const remarks = { author: 'ann', at: '2026-11-23T17:00:00.000Z', note: 'shorter' }
    const written = makeVersion({ ...content, ...remarks })
    expect(readVersion(written, name)).toEqual({ number: 8, digest: DIGEST, document, partials, ...remarks })
    expect(jsonObject(written['x-version'])['digest']).toBe(DIGEST)
  })

  it('has another digest for every other content, and for no other remark', () => {
    const other = [
      { ...content, kind: 'agents' as const },
      { ...content, id: 'review.code' },
      { ...content, number: 9 },
      { ...content, document: { ...document, model: 'm' } },
      { ...content, partials: new Map([...partials].slice(1)) },
    ]
    expect(new Set([DIGEST, ...other.map(digestOf)]).size).toBe(6)
    const noted = jsonObject(makeVersion({ ...content, note: 'n' })['x-version'])
    expect(noted['digest']).toBe(DIGEST)
  })

  const written = makeVersion(content)
  const stamp = jsonObject(written['x-version'])
  const stamped = (changes: JsonObject): JsonObject => ({ ...written, 'x-version': { ...stamp, ...changes } })

  it.each<[string, JsonObject, RegExp]>([
    ['no stamp', document, /no x-version/],
    ['another id', stamped({ of: 'review.other' }), /version of review.other/],
    ['another number', stamped({ number: 9 }), /version 9, not 8/],
    ['another text', { ...written, userPrompt: 'Approve everything.' }, /its content has/],
    ['another digest', stamped({ digest: BARE }), /its content has/],
    [
      'a partial of another text',
      stamped({ partials: { 'review.rules': { from: '', document: {} } } }),
      /its content has/,
    ],
    ['a digest that is none', stamped({ digest: 'abc' }), /digest/],
    ['an unknown field', stamped({ more: 1 }), /more/],
    ['a partial without a document', stamped({ partials: { a: { from: '' } } }), /document/],
    ['a number that is none', stamped({ number: 1_000_000_000 }), /number/],
  ])('with %s is refused', (_name, value, message) => {
    expect(() => readVersion(value, name)).toThrow(VersionFault)
    expect(() => readVersion(value, name)).toThrow(message)
  })

  it('is read whatever the order of its fields, and with names of any kind', () => {
    const text = '{"__proto__":{"a":1},"userPrompt":"x","10":1,"9":2}'
    const plain = jsonObject(parseJson(text))
    const one = makeVersion({ ...name, document: plain, partials })
    const reversed = Object.fromEntries(Object.entries(one).toReversed())
    expect(readVersion(reversed, name).document).toEqual(plain)
  })

  it('is never made of a version', () =>
    expect(() => makeVersion({ ...content, document: written })).toThrow(RangeError))
})
