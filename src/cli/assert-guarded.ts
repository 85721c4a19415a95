import { BlockList, isIP, isIPv4 } from 'node:net'
import { type Config, ConfigError } from '../config.js'
import { socketPath } from '../http/listen-at-socket.js'

/** A service that others reach asks for keys, or says that it does not want to. @throws ConfigError */
export function assertGuarded({ host, apiKeys, keysFile, allowAnonymous }: Config): void {
  if (apiKeys.length > 0 || keysFile !== undefined || allowAnonymous || isLoopback(host)) return
  throw new ConfigError([
    `HOST: ${host} can be reached from other machines, and everybody there could do everything: set API_KEYS or KEYS_FILE, or ALLOW_ANONYMOUS=true if that is meant`,
  ])
}

/** Whether only this machine reaches an address, or a socket, to listen on. */
export function isLoopback(host: string): boolean {
  if (socketPath(host) !== undefined) return true
  if (isIP(host) === 0) return /^(localhost|.*\.localhost)$/i.test(host)
  const loopback = new BlockList()
  loopback.addSubnet('127.0.0.0', 8, 'ipv4')
  loopback.addAddress('::1', 'ipv6')
  return loopback.check(host, isIPv4(host) ? 'ipv4' : 'ipv6')
}
