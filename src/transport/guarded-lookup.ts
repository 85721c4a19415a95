import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isRefusedAddress } from './address.js'
import { WireError } from './wire-error.js'

/** Finds the addresses of a name. The default asks the system's resolver. */
export type Resolver = (hostname: string) => Promise<readonly LookupAddress[]>

/** Decides whether a name may be reached at an address: a reason to refuse, or undefined. */
export type AddressRule = (hostname: string, address: string) => string | undefined

export interface AddressGuard {
  readonly resolver?: Resolver
  /** Asked beside the addresses that are always refused. */
  readonly rule?: AddressRule
}

/**
 * The addresses of a host that may be connected to: what is checked here is what is connected to, so that a name
 * cannot answer one address to a check and another to the connection.
 *
 * @throws WireError `address_refused` when none is left, `unreachable` when the name is unknown
 */
export async function resolveGuarded(
  hostname: string,
  guard: AddressGuard,
): Promise<readonly LookupAddress[]> {
  const family = isIP(hostname)
  const found = family === 0 ? await resolve(hostname, guard) : [{ address: hostname, family }]
  const reasons = found.map(({ address }) => refusal(hostname, address, guard.rule))
  const allowed = found.filter((_, index) => reasons[index] === undefined)
  if (allowed.length === 0) {
    throw new WireError('address_refused', reasons[0] ?? `${hostname} has no address`)
  }
  return allowed
}

/** Why an address must not be connected to, or undefined. */
export function refusal(
  hostname: string,
  address: string,
  rule: AddressRule | undefined,
): string | undefined {
  if (isRefusedAddress(address)) {
    return `${describe(hostname, address)} is a link-local, metadata or reserved address, which is always refused`
  }
  return rule?.(hostname, address)
}

async function resolve(hostname: string, guard: AddressGuard): Promise<readonly LookupAddress[]> {
  const resolver = guard.resolver ?? ((name: string) => lookup(name, { all: true }))
  try {
    return await resolver(hostname)
  } catch (cause) {
    throw new WireError('unreachable', `${hostname} has no known address`, { cause })
  }
}

function describe(hostname: string, address: string): string {
  return hostname === address ? address : `${hostname} (${address})`
}
