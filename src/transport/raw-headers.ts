import { at } from '../util/at.js'

/** Names and values in turn, as undici's parser has them. Most answers are asked for one of them, and it is not there. */
export type RawHeaders = readonly Buffer[]

/** The value of a header, several of the same name as a list; undefined where there is none. @param name in lower case */
export function headerOf(headers: RawHeaders, name: string): string | undefined {
  let found: string | undefined
  for (let index = 0; index < headers.length; index += 2) {
    const field = at(headers, index)
    if (field.length !== name.length || field.toString('latin1').toLowerCase() !== name) continue
    const value = at(headers, index + 1).toString('latin1')
    found = found === undefined ? value : `${found}, ${value}`
  }
  return found
}
