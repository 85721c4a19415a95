import { ServiceError } from '../errors.js'
import type { JsonObject } from '../util/json/json.js'

/**
 * What state hands back, as anybody who stored it knows it.
 *
 * @param isIt whether the value has the form that this version writes
 * @param name of the value, for people
 * @throws ServiceError `state_unreadable`: a newer version wrote it, or a foreign hand
 */
export function readStored<Value extends object>(
  stored: JsonObject,
  isIt: (stored: object) => stored is Value,
  name: string,
): Value {
  if (isIt(stored)) return stored
  throw new ServiceError(
    'state_unreadable',
    `The ${name} was written by a newer version of the service, or changed since`,
  )
}
