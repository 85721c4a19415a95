import { ServiceError } from '../errors.js'
import { isJsonObject, own } from '../util/json/json.js'

/** Where in the catalog the cause of an error is, as compilers print it, `file:line:column: `; empty where it has no place. */
export function placeOfCause(error: unknown): string {
  const details = error instanceof ServiceError ? error.details : undefined
  if (!isJsonObject(details) || typeof own(details, 'location') !== 'string') return ''
  const places = ['location', 'line', 'column'].map((name) => own(details, name))
  return `${places.filter((place) => place !== undefined).join(':')}: `
}
