import { BlockList, isIP, isIPv4 } from 'node:net'
import { socketPath } from '../listening/listen-at-socket.js'

/** Whether only this machine reaches an address, or a socket, to listen on. */
export function isLoopback(host: string): boolean {
  return socketPath(host) !== undefined || isLoopbackName(host)
}

/** Whether a host name or an IP address, without brackets, leads to this machine wherever it is resolved (RFC 6761, 6.3). */
export function isLoopbackName(host: string): boolean {
  if (isIP(host) === 0) return /(?:^|\.)localhost$/i.test(host)
  return LOOPBACK.check(host, isIPv4(host) ? 'ipv4' : 'ipv6')
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')
