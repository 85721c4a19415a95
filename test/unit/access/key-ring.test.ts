import { describe, expect, it } from 'vitest'
import { FULL_ACCESS } from '../../../src/access/access.js'
import { hashOfKey, KeyRing } from '../../../src/access/key-ring.js'
import type { KeyDocument } from '../../../src/schema/keys-file.js'

const document = (name: string, changes: Partial<KeyDocument> = {}): KeyDocument => ({
  name,
  hash: hashOfKey(`key-of-${name}`),
  scopes: ['read'],
  ...changes,
})

function ringOf(documents: readonly KeyDocument[], now = () => 0): KeyRing {
  const ring = new KeyRing(['plain-key'], now)
  expect(ring.replace(documents)).toEqual([])
  return ring
}

describe('a ring of keys', () => {
  it('finds keys of both kinds, and no other', () => {
    const ring = ringOf([document('web')])
    expect(ring.find('plain-key')?.access).toBe(FULL_ACCESS)
    expect(ring.find('key-of-web')).toMatchObject({ id: 'key:web', access: { name: 'web' } })
    for (const other of ['', 'key-of-we', 'key-of-web ', hashOfKey('key-of-web'), '__proto__'])
      expect(ring.find(other)).toBeUndefined()
  })

  it('knows no key of a thousand but those that are there', () => {
    const ring = ringOf(Array.from({ length: 1_000 }, (_, index) => document(`n${index}`)))
    expect(ring.find('key-of-n999')?.access.name).toBe('n999')
    expect(ring.find('key-of-n1000')).toBeUndefined()
  })

  it('is one holder with an old and a new key', () => {
    const ring = ringOf([document('web', { hash: [hashOfKey('old'), hashOfKey('new')] })])
    expect(ring.find('old')).toEqual(ring.find('new'))
  })

  it.each([
    ['a name twice', [document('a'), document('a', { hash: hashOfKey('other') })], /two keys are named "a"/],
    ['a key twice', [document('a'), document('b', { hash: hashOfKey('key-of-a') })], /"b" is there twice/],
    ['a key of API_KEYS', [document('a', { hash: hashOfKey('plain-key') })], /"a" is there twice/],
  ])('refuses %s as a whole', (_name, documents, expected) => {
    const ring = ringOf([document('before')])
    expect(ring.replace(documents).join('\n')).toMatch(expected)
    expect(ring.find('key-of-before')).toBeDefined()
    expect(ring.find('key-of-a')).toBeUndefined()
  })

  it('knows when a key ends', () => {
    let now = Date.parse('2027-01-30T23:59:59Z')
    const ring = ringOf([document('web', { expires: '2027-01-31' })], () => now)
    const access = ring.find('key-of-web')?.access ?? FULL_ACCESS
    expect([ring.isExpired(access), ring.holds(access)]).toEqual([false, true])
    now = Date.parse('2027-01-31')
    expect([ring.isExpired(access), ring.holds(access)]).toEqual([true, false])
  })

  it('keeps the access of who is still the same, and takes it from who is not', () => {
    const ring = ringOf([document('same'), document('less', { scopes: ['read', 'chat'] }), document('gone')])
    const accesses = ['same', 'less', 'gone'].map(
      (name) => ring.find(`key-of-${name}`)?.access ?? FULL_ACCESS,
    )
    ring.replace([document('less'), document('same')])
    expect(accesses.map((access) => ring.holds(access))).toEqual([true, false, false])
  })
})
