import { BlockList, isIP, isIPv6 } from 'node:net'
import { at } from '../util/at.js'

/**
 * Addresses that no tool may ever reach, whatever the configuration says: they are never a tool, and often a cloud's
 * credentials. Each is written as `address/prefix`.
 */
const REFUSED = [
  '0.0.0.0/8', // "this host": connects to loopback on Linux
  '169.254.0.0/16', // link-local: AWS, Azure, GCP, OpenStack metadata
  '100.100.100.200/32', // Alibaba Cloud metadata
  '168.63.129.16/32', // Azure wire server
  '192.0.0.192/32', // Oracle Cloud metadata
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '::/128', // unspecified: connects to loopback on Linux
  'fe80::/10', // link-local
  'fec0::/10', // site-local, deprecated
  'ff00::/8', // multicast
  'fd00:ec2::/32', // AWS metadata over IPv6
  'fd20:ce::254/128', // GCP metadata over IPv6
  '2001::/32', // Teredo: hides an IPv4 address
  '::a9fe:0/112', // 169.254.0.0/16 as an IPv4-compatible address
  '64:ff9b::a9fe:0/112', // … behind NAT64
  '64:ff9b:1::/48', // local NAT64: hides an IPv4 address
  '2002:a9fe::/32', // … behind 6to4
] as const

const LOOPBACK = ['127.0.0.0/8', '::1/128', '::7f00:0/104', '64:ff9b::7f00:0/104', '2002:7f00::/24'] as const

const refusedList = toBlockList(REFUSED)
const loopbackList = toBlockList(LOOPBACK)

/** True for link-local, cloud-metadata, unspecified, multicast and reserved addresses, also inside IPv6 forms. */
export function isRefusedAddress(address: string): boolean {
  return contains(refusedList, address)
}

/** True for 127.0.0.0/8 and ::1, also inside IPv6 forms. */
export function isLoopbackAddress(address: string): boolean {
  return contains(loopbackList, address)
}

/** A URL's host name without brackets and without the root's dot, in lower case. */
export function bareHostname(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
}

function contains(list: BlockList, address: string): boolean {
  const bare = at(address.split('%', 1), 0)
  if (isIP(bare) === 0) return false
  // A list's IPv4 ranges also cover IPv4-mapped IPv6 addresses.
  return list.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4')
}

function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    list.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return list
}
