import { isIP } from 'node:net'
import { bareHostname, isLoopbackAddress } from '../transport/address.js'
import { at } from '../util/at.js'
import { ToolFailure } from './tool-failure.js'

/** Decides which hosts tools may call. What it does not name is refused. */
export interface HostPolicy {
  /** @throws ToolFailure `host_not_allowed`, naming the setting, or `invalid_tool` for another scheme */
  assertAllowed(url: URL): void
  /** A rule for every new connection: a reason to refuse the address, or undefined. */
  readonly addressRule: (hostname: string, address: string) => string | undefined
}

interface HostPattern {
  readonly text: string
  readonly host: RegExp
  /** Undefined matches every port. */
  readonly port: string | undefined
  readonly exact: boolean
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * Reads the patterns (`host`, `host:port`, `[v6]:port`, `*` for any run of characters or any port) and the configured
 * urls, whose hosts are allowed with exactly their port.
 *
 * @throws Error on a malformed pattern
 */
export function createHostPolicy(patterns: readonly string[], configuredUrls: readonly URL[]): HostPolicy {
  const rules = [...patterns.map(parseHostPattern), ...configuredUrls.map(toPattern)]
  const matches = (host: string, port: string) => (rule: HostPattern) =>
    rule.host.test(host) && (rule.port === undefined || rule.port === port)

  return {
    assertAllowed(url) {
      if (!(url.protocol in DEFAULT_PORTS)) {
        throw new ToolFailure('invalid_tool', `tools speak http and https, not ${url.protocol.slice(0, -1)}`)
      }
      const host = bareHostname(url.hostname)
      if (!rules.some(matches(host, portOf(url)))) throw notAllowed(host, portOf(url))
    },

    addressRule(hostname, address) {
      const host = bareHostname(hostname)
      if (!isLoopbackAddress(address) || isLoopbackName(host)) return undefined
      // A name that only a wildcard lets through could be anyone's, and must not lead into this machine.
      if (rules.some((rule) => rule.exact && rule.host.test(host))) return undefined
      return `${host} leads to the loopback address ${address}; name it without wildcards in TOOL_ALLOWED_HOSTS`
    },
  }
}

/** @throws Error on a malformed pattern */
function parseHostPattern(text: string): HostPattern {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]/\s]+)(?::(\*|\d{1,5}))?$/i.exec(text.trim())
  if (match === null)
    throw new Error(`"${text}" is not a host pattern such as 127.0.0.1:*, *.svc.local:80 or *`)
  const host = canonicalHost(at(match, 1))
  const port = match[2] === '*' ? undefined : match[2]
  return { text, host: toHostExpression(host), port, exact: !host.includes('*') }
}

function toPattern(url: URL): HostPattern {
  const host = bareHostname(url.hostname)
  return { text: url.host, host: toHostExpression(host), port: portOf(url), exact: true }
}

/** A host in the spelling that the URL parser gives the hosts it reads. */
function canonicalHost(host: string): string {
  if (host.includes('*')) return host.toLowerCase()
  try {
    return bareHostname(new URL(`http://${host}`).hostname)
  } catch {
    throw new Error(`"${host}" is not a host name`)
  }
}

/** Stars match greedily without backtracking trouble: a host name has at most 253 characters and few stars. */
function toHostExpression(host: string): RegExp {
  const escaped = host.replace(/\*+/g, '*').replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll('*', '.*')}$`)
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && isLoopbackAddress(host))
}

function portOf(url: URL): string {
  return url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? '') : url.port
}

function notAllowed(host: string, port: string): ToolFailure {
  const name = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return new ToolFailure(
    'host_not_allowed',
    `tools may not call ${name}: it is neither a configured base url nor named in TOOL_ALLOWED_HOSTS`,
  )
}
