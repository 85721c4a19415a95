import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4 } from 'node:net'
import { at } from '../../util/at.js'

/** Answers the address a request comes from: an IP address, or `unknown`. */
export type ClientAddress = (request: IncomingMessage) => string

/**
 * How to find the client behind proxies. `X-Forwarded-For` is read from the right, where the proxies append: entries
 * that a client sends are further left and are never reached.
 *
 * @param trust `false`, `true` (one proxy), the number of proxies, or their addresses and networks
 * @throws Error for any other value
 */
export function createClientAddress(trust: string): ClientAddress {
  if (/^(|0|false)$/i.test(trust)) return socketAddress
  if (/^true$/i.test(trust)) return behindHops(1)
  if (/^\d{1,2}$/.test(trust)) return behindHops(Number(trust))
  return behindProxies(toBlockList(trust))
}

function socketAddress({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? 'unknown'
}

/** The entry that the outermost of this many proxies wrote; with fewer entries somebody went around them. */
function behindHops(hops: number): ClientAddress {
  return (request) => {
    const entries = forwardedFor(request)
    return bareAddress(entries[entries.length - hops]) ?? socketAddress(request)
  }
}

/** The first address from the right that is not a proxy's. */
function behindProxies(proxies: BlockList): ClientAddress {
  return (request) => {
    const entries = forwardedFor(request)
    let address = socketAddress(request)
    while (isProxy(proxies, address)) {
      const next = bareAddress(entries.pop())
      if (next === undefined) break
      address = next
    }
    return address
  }
}

function forwardedFor({ headers }: IncomingMessage): string[] {
  const header = headers['x-forwarded-for']
  return typeof header === 'string' ? header.split(',') : []
}

/** Without the port that some proxies add; undefined for an invalid address. */
function bareAddress(entry: string | undefined): string | undefined {
  const text = (entry ?? '').trim()
  const bare = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return isIP(bare) === 0 ? undefined : bare
}

function isProxy(proxies: BlockList, address: string): boolean {
  const plain = withoutMapping(address)
  if (isIP(plain) === 0) return false
  return proxies.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6')
}

function toBlockList(text: string): BlockList {
  const list = new BlockList()
  for (const item of text.split(',')) addTo(list, item.trim())
  return list
}

function addTo(list: BlockList, item: string): void {
  const [address = '', bits, ...rest] = item.split('/')
  const version = isIP(address)
  const prefix = bits === undefined ? undefined : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
  const isInRange = prefix === undefined || prefix <= (version === 4 ? 32 : 128)
  if (version === 0 || rest.length > 0 || !isInRange)
    throw new Error(`"${item}" is neither true, false, a number of proxies, an address nor a network`)
  const family = version === 4 ? 'ipv4' : 'ipv6'
  if (prefix === undefined) list.addAddress(address, family)
  else list.addSubnet(address, prefix, family)
}

/**
 * What counts as one client among addresses: an IPv4 address, and of IPv6 the network of 64 bits, for that is what
 * one subscriber gets and can choose from.
 */
export function clientNetwork(address: string): string {
  if (!address.includes(':')) return address
  const plain = withoutMapping(address)
  return plain.includes(':') ? `${firstGroups(plain).join(':')}::/64` : plain
}

/** An IPv4 address as a socket of both families shows it (RFC 4291, 2.5.5.2). */
function withoutMapping(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  return mapped ?? address
}

/** The first four groups of an IPv6 address. */
function firstGroups(address: string): string[] {
  const [head = '', tail] = withoutZone(address).toLowerCase().split('::')
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':')
}

/** An address without the zone of IPv6 (RFC 4007, 11). */
function withoutZone(address: string): string {
  return at(address.split('%', 1), 0)
}
