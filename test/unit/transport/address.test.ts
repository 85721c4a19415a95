import { describe, expect, it } from 'vitest'
import { bareHostname, isLoopbackAddress, isRefusedAddress } from '../../../src/transport/address.js'

describe('isRefusedAddress', () => {
  it.each([
    '0.0.0.0',
    '169.254.169.254',
    '169.254.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::169.254.169.254',
    '64:ff9b::169.254.169.254',
    '2002:a9fe:a9fe::1',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'ff02::1',
    'fd00:ec2::254',
    'fd20:ce::254',
  ])('refuses %s', (address) => expect(isRefusedAddress(address)).toBe(true))

  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '1.1.1.1',
    '::1',
    'fd12::1',
    '2606:4700::1',
    'name',
  ])('lets %s through', (address) => expect(isRefusedAddress(address)).toBe(false))
})

describe('isLoopbackAddress', () => {
  it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', '::7f00:1', '64:ff9b::127.0.0.1'])(
    'knows %s',
    (address) => expect(isLoopbackAddress(address)).toBe(true),
  )
  it.each(['10.0.0.1', '::2', 'localhost'])('does not take %s for one', (address) =>
    expect(isLoopbackAddress(address)).toBe(false),
  )
})

describe('bareHostname', () => {
  it.each([
    ['[::1]', '::1'],
    ['Example.COM.', 'example.com'],
    ['a', 'a'],
  ])('%s is %s', (hostname, bare) => expect(bareHostname(hostname)).toBe(bare))
})
