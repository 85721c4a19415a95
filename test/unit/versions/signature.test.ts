import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  countSigners,
  publicKeyOf,
  readPublicKey,
  type SignedRelease,
  signedText,
  signRelease,
} from '../../../src/versions/signature.js'

const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    line: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }
}
const [ann, ben, eve] = [pair(), pair(), pair()] as const
const gate = { signers: { ann: [eve.line, ann.pem], ben: [ben.line], twin: [ben.line] } }

const digest = 'a'.repeat(64)
const signed: SignedRelease = {
  audience: 'prod-eu',
  kind: 'templates',
  id: 'review.code_review',
  label: 'production',
  release: {
    targets: [{ version: 8, digest, share: 100 }],
    sequence: 3,
    expires: '2027-01-01T00:00:00Z',
    previous: { version: 7, digest },
    signatures: [],
  },
}
const by = (signer: string, privateKey: string, of: SignedRelease = signed) => ({
  signer,
  value: signRelease(privateKey, of),
})
const withSignatures = (signatures: SignedRelease['release']['signatures'], of = signed): SignedRelease => ({
  ...of,
  release: { ...of.release, signatures },
})

describe('a signed release', () => {
  it('signs a domain line and canonical JSON', () =>
    expect(signedText(signed)).toBe(
      `ai-prompt-shell release 1\n{"audience":"prod-eu","id":"review.code_review","kind":"templates","label":"production","release":{"digest":"${digest}","expires":"2027-01-01T00:00:00Z","previous":{"digest":"${digest}","version":7},"sequence":3,"version":8}}`,
    ))

  it('counts different signers, whatever was signed before them', () => {
    const one = withSignatures([by('ann', ann.privateKey)])
    expect(countSigners(one, gate)).toEqual(['ann'])
    const two = withSignatures([...one.release.signatures, by('ben', ben.privateKey, one)])
    expect(countSigners(two, gate)).toEqual(['ann', 'ben'])
  })

  it.each<[string, SignedRelease['release']['signatures']]>([
    ['nobody', []],
    ['a name that is no signer', [by('eve', ann.privateKey)]],
    ['a name that objects inherit', [by('constructor', ann.privateKey)]],
    ['the key of another signer', [by('ben', ann.privateKey)]],
    ['no signature at all', [{ signer: 'ann', value: `${'A'.repeat(86)}==` }]],
    [
      'the text without its domain line',
      [
        {
          signer: 'ann',
          value: sign(null, Buffer.from(signedText(signed).split('\n')[1] ?? ''), ann.privateKey).toString(
            'base64',
          ),
        },
      ],
    ],
  ])('does not count %s', (_name, signatures) =>
    expect(countSigners(withSignatures(signatures), gate)).toEqual([]),
  )

  it('counts one person once: twice the same name, or one key under two names', () => {
    const twice = [by('ben', ben.privateKey), by('ben', ben.privateKey), by('twin', ben.privateKey)]
    expect(countSigners(withSignatures(twice), gate)).toEqual(['ben'])
  })

  const { release } = signed
  it.each<[string, SignedRelease]>([
    ['audience', { ...signed, audience: 'prod-us' }],
    ['kind', { ...signed, kind: 'agents' }],
    ['id', { ...signed, id: 'review.other' }],
    ['label', { ...signed, label: 'staging' }],
    ['sequence', { ...signed, release: { ...release, sequence: 4 } }],
    ['expiry', { ...signed, release: { ...release, expires: '2099-01-01T00:00:00Z' } }],
    [
      'digest',
      { ...signed, release: { ...release, targets: [{ version: 8, digest: 'b'.repeat(64), share: 100 }] } },
    ],
    ['previous', { ...signed, release: { ...release, previous: { version: 6, digest } } }],
    ['note', { ...signed, release: { ...release, note: 'harmless' } }],
    ['tests', { ...signed, release: { ...release, tests: { passed: 1 } } }],
  ])('does not hold with another %s', (_name, other) =>
    expect(countSigners(withSignatures([by('ann', ann.privateKey)], other), gate)).toEqual([]),
  )

  it('takes keys as PEM or as its line, and none of another kind', () => {
    expect(publicKeyOf(ann.privateKey)).toBe(ann.line)
    expect(readPublicKey(ann.pem).equals(readPublicKey(ann.line))).toBe(true)
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = other.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    expect(() => signRelease(pem, signed)).toThrow('must be an Ed25519 key, and is ec')
    expect(() => readPublicKey('nonsense')).toThrow('must be PEM')
  })
})
