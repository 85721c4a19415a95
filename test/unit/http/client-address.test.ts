import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { clientNetwork, createClientAddress } from '../../../src/http/doors/client-address.js'

function addressOf(trust: string, socket: string, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return createClientAddress(trust)({ socket: { remoteAddress: socket }, headers } as IncomingMessage)
}

describe('the address of a client', () => {
  it.each([
    ['false', '10.0.0.1', '1.1.1.1', '10.0.0.1'],
    ['0', '10.0.0.1', '1.1.1.1', '10.0.0.1'],
    ['true', '10.0.0.1', undefined, '10.0.0.1'],
    ['true', '10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['true', '10.0.0.1', 'chosen by the client, 1.1.1.1', '1.1.1.1'],
    ['1', '10.0.0.1', '9.9.9.9, 1.1.1.1', '1.1.1.1'],
    ['2', '10.0.0.1', '9.9.9.9, 1.1.1.1, 10.0.0.2', '1.1.1.1'],
    ['2', '10.0.0.1', '9.9.9.9', '10.0.0.1'],
    ['true', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['true', '10.0.0.1', '1.1.1.1:4711', '1.1.1.1'],
    ['true', '10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['true', '10.0.0.1', 'x'.repeat(15_000), '10.0.0.1'],
    ['10.0.0.0/8', '10.0.0.1', '9.9.9.9, 1.1.1.1, 10.9.9.9', '1.1.1.1'],
    ['10.0.0.0/8', '::ffff:10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['10.0.0.0/8', '1.1.1.1', '9.9.9.9', '1.1.1.1'],
    ['10.0.0.0/8, ::1', '::1', '1.1.1.1', '1.1.1.1'],
    ['10.0.0.1', '10.0.0.1', 'junk', '10.0.0.1'],
    ['10.0.0.0/8', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
  ])('with TRUST_PROXY=%s, from %s, forwarded for %s: %s', (trust, socket, forwarded, expected) => {
    expect(addressOf(trust, socket, forwarded)).toBe(expected)
  })

  it.each(['yes', '10.0.0', '10.0.0.0/33', '10.0.0.0/8/8', '::/129', '-1', '1000', 'a,b'])(
    'refuses TRUST_PROXY=%s',
    (trust) => {
      expect(() => createClientAddress(trust)).toThrow(/neither true, false/)
    },
  )
})

describe('what counts as one client', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1:2:3::', '1:2:3:0::/64'],
    ['unknown', 'unknown'],
  ])('%s is %s', (address, expected) => {
    expect(clientNetwork(address)).toBe(expected)
  })
})
