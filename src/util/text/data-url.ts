/** What a `data:` URL of base64 holds. */
export interface DataUrl {
  /** Empty where the URL names none. */
  readonly mimeType: string
  /** The base64 text as it is. */
  readonly data: string
}

const SCHEME = 'data:'
const BASE64 = ';base64'
/** Types and their parameters are short: a comma further away ends no head. */
const MAX_HEAD = 1_024
const TYPE = /^[\w.+/-]*/

/** Reads a `data:` URL whose data are base64 (RFC 2397), in the time that its head takes; undefined for any other text. */
export function readDataUrl(url: string): DataUrl | undefined {
  if (!url.startsWith(SCHEME)) return undefined
  const comma = url.slice(0, MAX_HEAD).indexOf(',')
  const head = url.slice(SCHEME.length, comma)
  if (comma === -1 || !head.endsWith(BASE64)) return undefined
  return { mimeType: TYPE.exec(head)?.[0] ?? '', data: url.slice(comma + 1) }
}
