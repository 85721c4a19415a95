import type { HelperName } from '../run/operations.js'
import type { Constants } from './constants.js'

/** Generated source: the body of a function that makes the functions of a program, and the names that it is given. */
export interface Source {
  readonly body: string
  readonly helpers: readonly HelperName[]
  /** The names of the constants, in the order of their table. */
  readonly names: readonly string[]
}

/** What every body begins with. */
export const STRICT = '"use strict";'

/** The source of some functions, given as expressions; `more` declares what they need beside helpers and constants. */
export function sourceOf(constants: Constants, functions: string, more = ''): Source {
  const body = `${STRICT}${more}return[${functions}]`
  return { body, helpers: constants.helpers, names: constants.names }
}

/** What the function is given: all functions of the program, the helpers that it uses, and its constants. */
export function parametersOf({ helpers, names }: Source): readonly string[] {
  return ['templates', ...helpers, ...names]
}

/** The whole function as one text. */
export function sourceText(source: Source): string {
  return `(${parametersOf(source)})=>{${source.body}}`
}

/** Whether two sources make the same of the same. */
export function isSameSource(one: Source, other: Source): boolean {
  return (
    one.body === other.body &&
    one.names.length === other.names.length &&
    one.helpers.length === other.helpers.length &&
    one.helpers.every((name, index) => name === other.helpers[index])
  )
}

/** Number of characters that are compared to distinguish sources. */
const SAMPLED = 32

/**
 * A hash that few sources have in common. Hashing all characters takes longer than generating them, and callers compare
 * the sources anyway.
 */
export function keyOf({ body }: Source): number {
  const step = Math.ceil(body.length / SAMPLED)
  let key = body.length
  for (let i = 0; i < body.length; i += step) key = (Math.imul(key, 31) + body.charCodeAt(i)) | 0
  return key
}
