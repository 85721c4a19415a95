import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'

export interface RedisAddress {
  readonly host: string
  readonly port: number
}

/** What a Redis url asks for. */
export interface RedisTarget {
  readonly topology: 'standalone' | 'sentinel' | 'cluster'
  /** The server, the sentinels, or some nodes of the cluster. */
  readonly addresses: readonly RedisAddress[]
  /** The name of the master that the sentinels watch. */
  readonly masterName: string | undefined
  readonly database: number
  readonly username: string | undefined
  readonly password: string | undefined
  readonly sentinelUsername: string | undefined
  readonly sentinelPassword: string | undefined
  readonly tls: ConnectionOptions | undefined
  /** The url without any secret, for people. */
  readonly location: string
}

/** A Redis url that cannot be used; the message never contains its password. */
export class RedisUrlError extends Error {
  override readonly name = 'RedisUrlError'
}

const FORM = /^([a-z][a-z+-]*):\/\/(?:([^@/]*)@)?([^/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/
const SCHEME = /^redis(s?)(?:[+-](sentinel|cluster))?(s?)$/
const PARAMETERS = new Set([
  'sentinelUsername',
  'sentinelPassword',
  'tlsCa',
  'tlsCert',
  'tlsKey',
  'tlsServerName',
  'tlsInsecure',
])

/**
 * Reads a Redis url: `redis://user:password@host:port/db`, `redis+sentinel://host:port,host:port/master/db` or
 * `redis+cluster://host:port,host:port`; `rediss…` is the same over TLS. Credentials are percent-encoded.
 *
 * @throws RedisUrlError
 */
export function parseRedisUrl(url: string): RedisTarget {
  const [, scheme = '', credentials, hosts = '', path = '', query = ''] = FORM.exec(url) ?? []
  const [, secure, kind, secureAfter] = SCHEME.exec(scheme) ?? []
  if (secure === undefined) throw new RedisUrlError(`not a Redis url: ${withoutSecrets(url)}`)
  const topology = kind === 'sentinel' || kind === 'cluster' ? kind : 'standalone'
  const addresses = hosts.split(',').map((host) => parseAddress(host, topology))
  if (topology === 'standalone' && addresses.length > 1)
    throw new RedisUrlError('several hosts need redis+sentinel:// or redis+cluster://')
  const parameters = parseParameters(query)
  const { masterName, database } = parsePath(topology, path)
  return {
    topology,
    addresses,
    masterName,
    database,
    ...parseCredentials(credentials),
    sentinelUsername: parameters.get('sentinelUsername') ?? undefined,
    sentinelPassword: parameters.get('sentinelPassword') ?? undefined,
    tls: secure === 's' || secureAfter === 's' ? tlsOptions(parameters) : undefined,
    location: `${scheme}://${hosts}${path === '' ? '' : `/${path}`}`,
  }
}

/** Any url-like text without the part between `//` and `@` and without its query. */
function withoutSecrets(url: string): string {
  return url
    .replace(/\/\/[^/]*@/, '//')
    .split('?', 1)
    .join('')
}

function parseAddress(text: string, topology: RedisTarget['topology']): RedisAddress {
  const [, host, port] = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text.trim()) ?? []
  const number = port === undefined ? (topology === 'sentinel' ? 26_379 : 6_379) : Number(port)
  if (host === undefined || number > 65_535) throw new RedisUrlError(`not a host and port: ${text}`)
  return { host: host.replace(/^\[|\]$/g, ''), port: number }
}

function parsePath(
  topology: RedisTarget['topology'],
  path: string,
): Pick<RedisTarget, 'masterName' | 'database'> {
  const parts = path === '' ? [] : path.split('/').map(decode)
  const masterName = topology === 'sentinel' ? parts.shift() : undefined
  if (topology === 'sentinel' && (masterName === undefined || masterName === ''))
    throw new RedisUrlError(
      'a sentinel url names the master in its path: redis+sentinel://host:26379/mymaster',
    )
  const [database = '0', ...rest] = parts
  if (!/^\d{1,5}$/.test(database) || rest.length > 0)
    throw new RedisUrlError(`the path of a Redis url is the number of the database, not /${path}`)
  if (topology === 'cluster' && Number(database) !== 0)
    throw new RedisUrlError('a cluster has no database but 0')
  return { masterName, database: Number(database) }
}

function parseCredentials(text: string | undefined): Pick<RedisTarget, 'username' | 'password'> {
  if (text === undefined || text === '') return { username: undefined, password: undefined }
  const colon = text.indexOf(':')
  if (colon === -1) return { username: undefined, password: decode(text) }
  const username = decode(text.slice(0, colon))
  return { username: username === '' ? undefined : username, password: decode(text.slice(colon + 1)) }
}

function parseParameters(query: string): URLSearchParams {
  const parameters = new URLSearchParams(query)
  for (const name of parameters.keys()) {
    if (!PARAMETERS.has(name))
      throw new RedisUrlError(
        `unknown parameter ${name} in the Redis url; known: ${[...PARAMETERS].join(', ')}`,
      )
  }
  return parameters
}

function tlsOptions(parameters: URLSearchParams): ConnectionOptions {
  const file = (name: string) => {
    const path = parameters.get(name)
    return path === null ? undefined : readSecret(name, path)
  }
  const [ca, cert, key] = [file('tlsCa'), file('tlsCert'), file('tlsKey')]
  const servername = parameters.get('tlsServerName')
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(servername === null ? {} : { servername }),
    ...(parameters.get('tlsInsecure') === 'true' ? { rejectUnauthorized: false } : {}),
  }
}

function readSecret(name: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new RedisUrlError(`${name}: cannot read ${path}`, { cause: error })
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new RedisUrlError('a part of the Redis url is not percent-encoded')
  }
}
