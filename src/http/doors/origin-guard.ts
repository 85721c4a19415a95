import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.js'
import { clipped } from '../../util/text/clipped.js'
import { routeOf } from '../requests/route-of.js'
import { isLoopbackName } from './is-loopback.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages of other origins that may use the route. With it the `Origin` of every method counts, not of unsafe ones only. */
    pages?: AllowedPages
  }
}

/** Which pages of other origins may use a route. */
export interface AllowedPages {
  mayUse(origin: string): boolean
  /** The setting that names them, for the message. */
  readonly setting: string
}

/** What the guard decides by. */
export interface OriginGuardOptions {
  /** Host names that the service is reached by, in addition to those of this machine: `ALLOWED_HOSTS`. */
  readonly allowedHosts: readonly string[]
  /**
   * Whether a `Host` that is neither allowed nor a name of this machine is refused: where only this machine reaches the
   * service and no key is asked for, nothing else detects a page whose name was made to lead here (DNS rebinding).
   */
  readonly checksHost: boolean
}

/** Methods that change nothing (RFC 9110, 9.2.1). A page of any origin may send them; it cannot read the answer. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** They come by any name, and have nothing to hide. */
const PROBES: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz'])

function isProbe(request: FastifyRequest): boolean {
  return PROBES.has(routeOf(request).url)
}

/** Longest piece of a header that a message repeats. */
const MAX_SHOWN = 200

/**
 * Keeps pages of other origins from acting through their reader's browser, on every route: a request without a body needs
 * no permission of ours before it is sent. Programs that are not browsers send none of these headers and notice nothing.
 */
export function addOriginGuard(server: FastifyInstance, options: OriginGuardOptions): void {
  const isAllowedHost = createHostCheck(options.allowedHosts)
  server.addHook('onRequest', (request, _reply, done) => {
    const { host } = request.headers
    if (options.checksHost && host !== undefined && !isAllowedHost(host) && !isProbe(request))
      return done(foreignHost(host))
    const { origin, 'sec-fetch-site': site } = request.headers
    if (origin === undefined && site === undefined) return done()
    done(refusal(request, isAllowedHost))
  })
}

/** Why a page's request is refused; undefined where it is not. */
function refusal(request: FastifyRequest, isAllowedHost: HostCheck): ServiceError | undefined {
  const { origin } = request.headers
  const { pages } = routeOf(request).config
  if (pages !== undefined && origin !== undefined)
    return pages.mayUse(origin) ? undefined : foreignPage(origin, pages.setting)
  if (SAFE.has(request.method) || !isForeign(request, isAllowedHost)) return undefined
  return foreignPage(origin, 'ALLOWED_HOSTS')
}

/**
 * Whether a page of another origin sent a request. `Sec-Fetch-Site`, which pages cannot write, knows the address that the
 * browser asked, also where a proxy changes `Host`; browsers leave it out over plain HTTP, so there the hosts are compared.
 */
function isForeign({ headers }: FastifyRequest, isAllowedHost: HostCheck): boolean {
  const { host, origin, 'sec-fetch-site': site } = headers
  if (site === 'same-origin' || site === 'none') return false
  if (origin === undefined) return site !== undefined
  const ownHost = origin.slice(origin.indexOf('://') + 3).toLowerCase()
  return ownHost !== host?.toLowerCase() && !isAllowedHost.names(ownHost)
}

interface HostCheck {
  /** Whether a `Host` is an allowed one, or one of this machine. */
  (host: string): boolean
  /** Whether it is one of the names that the setting lists. */
  names(host: string): boolean
}

function createHostCheck(allowedHosts: readonly string[]): HostCheck {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const names = (host: string) => allowed.has(host) || allowed.has(withoutPort(host).toLowerCase())
  // Nearly all requests to a process come by one name.
  let last: string | undefined
  const check = (host: string) => {
    if (host === last) return true
    const isAllowed = isLoopbackName(withoutPort(host)) || names(host)
    if (isAllowed) last = host
    return isAllowed
  }
  return Object.assign(check, { names })
}

/** The name in a `Host` header: without its port, without the brackets of IPv6, without the root's dot. */
function withoutPort(host: string): string {
  if (host.startsWith('[')) return host.slice(1, Math.max(1, host.indexOf(']')))
  const [name = ''] = host.split(':', 1)
  return name.endsWith('.') ? name.slice(0, -1) : name
}

function foreignPage(origin: string | undefined, setting: string): ServiceError {
  const page = origin === undefined ? 'another site' : clipped(origin, MAX_SHOWN)
  return new ServiceError(
    'forbidden',
    `Pages of ${page} may not send this request. Set ${setting} to allow them.`,
  )
}

function foreignHost(host: string): ServiceError {
  return new ServiceError(
    'forbidden',
    `This service is not known as "${clipped(host, MAX_SHOWN)}". Set ALLOWED_HOSTS to allow the name, or use a name of this machine, such as localhost.`,
  )
}
