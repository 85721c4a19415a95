import { ServiceError } from '../errors.js'
import type { KeyScope } from '../schema/keys-file.js'
import type { Access } from './access.js'

/**
 * Holds that anybody who asks may do something.
 *
 * @param what needs the scope, for the message
 * @throws ServiceError `forbidden`
 */
export function assertAllowed({ scopes }: Access, scope: KeyScope, what: string): void {
  if (!scopes.has(scope)) throw notAllowed(scope, what)
}

/** The failure of who lacks a scope. */
export function notAllowed(scope: KeyScope, what: string): ServiceError {
  return new ServiceError('forbidden', `The API key may not do this: ${what} needs the scope "${scope}"`)
}
