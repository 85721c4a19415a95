import { describe, expect, it } from 'vitest'
import { hashOfKey } from '../../../src/access/key-ring.js'
import { KEYS_BOUNDS, MAX_KEYS_BYTES } from '../../../src/access/limits.js'
import { parseKeys } from '../../../src/access/parse-keys.js'
import { KeyDocument, KeysFile } from '../../../src/schema/keys-file.js'

const hash = hashOfKey('a-secret-that-nobody-sees')
const good = { name: 'web', hash, scopes: ['read'] }
const entry = (changes: object) => JSON.stringify({ keys: [{ ...good, ...changes }] })

describe('a keys file', () => {
  it.each([
    ['JSON', entry({})],
    ['YAML', `keys:\n  - name: web\n    hash: ${hash}\n    scopes: [read]\n`],
    ['no keys at all', 'keys: []'],
    [
      'everything',
      entry({ prompts: ['a.*', 'b.c'], rate: '5/s', expires: '2027-01-31T18:00Z', note: 'ours' }),
    ],
    ['two hashes while a key is replaced', entry({ hash: [hash, hashOfKey('b')] })],
    [
      'a date as YAML has it',
      `keys:\n  - {name: web, hash: "${hash}", scopes: [read], expires: 2028-02-29}\n`,
    ],
  ])('may be %s', (_name, text) => {
    expect(parseKeys('keys.yaml', text)).toMatchObject({ ok: true })
  })

  const long = 'a'.repeat(300)
  it.each([
    ['nothing', '', /\/: must be an object/],
    ['a list', '[]', /\/: must be an object/],
    ['a number', '5', /\/: must be an object/],
    ['half of a JSON file', entry({}).slice(0, 60), /is not JSON$/],
    ['half of a YAML file', 'keys:\n  - name: "we', /keys\.yaml:2:/],
    ['another section', '{"keys":[],"kyes":[]}', /"kyes", did you mean "keys"\?/],
    ['keys that are an object', '{"keys":{}}', /\/keys: must be an array/],
    ['a key that is null', '{"keys":[null]}', /\/keys\/0: must be an object/],
    ['a name of two words', entry({ name: 'a b' }), /\/keys\/0\/name: does not have the right form/],
    ['a name that is a number', entry({ name: 7 }), /\/keys\/0\/name: must be a string/],
    ['a name that would break a line of the log', entry({ name: 'a"\n' }), /\/keys\/0\/name/],
    [
      'the key in place of its hash',
      entry({ hash: 'a-secret-that-nobody-sees' }),
      /\/keys\/0\/hash: does not have/,
    ],
    ['an unknown scope', entry({ scopes: ['write'] }), /\/keys\/0\/scopes\/0: must be one of read, render/],
    ['no scope', entry({ scopes: [] }), /\/keys\/0\/scopes: must have at least/],
    ['a scope twice', entry({ scopes: ['read', 'read'] }), /\/keys\/0\/scopes: must not have equal items/],
    ['a pattern with two stars', entry({ prompts: ['a*b*'] }), /\/keys\/0\/prompts\/0: does not have/],
    ['a long pattern', entry({ prompts: [`${long}*`] }), /\/keys\/0\/prompts\/0: does not have/],
    [
      'many patterns',
      entry({ prompts: Array.from({ length: 65 }, (_, i) => `p${i}`) }),
      /\/keys\/0\/prompts: must have at most/,
    ],
    ['a rate per week', entry({ rate: '5/w' }), /\/keys\/0\/rate: does not have/],
    ['a day that is none', entry({ expires: '2027-02-31' }), /\/keys\/0\/expires: is not a valid date/],
    ['a month that is none', entry({ expires: '2027-13-01' }), /\/keys\/0\/expires: is not a valid date/],
    ['an unknown field', entry({ scope: ['read'] }), /"scope", did you mean "scopes"\?/],
    ['a prototype', '{"keys":[],"__proto__":{"x":1}}', /unknown name "__proto__"/],
    ['YAML that grows', `a: &a [1,1]\nb: &b [*a,*a]\nkeys: [*b,*b]`, /keys\.yaml/],
    ['too much', ' '.repeat(MAX_KEYS_BYTES + 1), /is larger than/],
  ])('is not %s', (_name, text, expected) => {
    const parsed = parseKeys('keys.yaml', text)
    expect(parsed.ok).toBe(false)
    const problems = parsed.ok ? [] : parsed.problems
    expect(problems.join('\n')).toMatch(expected)
    expect(problems.join('\n')).not.toContain('a-secret-that-nobody-sees')
  })

  it('tells the first of ten thousand mistakes', () => {
    const text = JSON.stringify({ keys: Array.from({ length: 10_000 }, () => ({})) })
    const parsed = parseKeys('keys.yaml', text)
    expect(parsed.ok ? [] : parsed.problems).toHaveLength(21)
  })

  it('has room for as many keys as it may have, with all their lists', () => {
    const lists = Object.values(KeyDocument.properties).filter((property) =>
      /"type":"(?:array|object)"/.test(JSON.stringify(property)),
    )
    const most = Number(Object.entries(KeysFile.properties.keys).find(([name]) => name === 'maxItems')?.[1])
    expect(KEYS_BOUNDS.maxContainers).toBe(2 + most * (1 + lists.length))
  })
})
