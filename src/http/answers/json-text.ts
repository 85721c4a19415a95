import { stringifyJson } from '../../util/json/json.js'

/** Prints an answer. The native printer does not know bigint: values that hold one take the slower way. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof TypeError) return stringifyJson(value)
    throw error
  }
}
