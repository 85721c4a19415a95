import { ServerResponse, STATUS_CODES } from 'node:http'
import { at } from '../../util/at.js'

/** What Node's `writeHead` makes a head with: it adds the date, the length and what becomes of the connection. */
type NodeResponse = ServerResponse & {
  _storeHeader?: (lines: string, headers: undefined) => void
  _contentLength?: number | null
}

/** Who gives a response another one wants to see its headers: `inject`, and what records answers. */
const WRITE_HEAD = ServerResponse.prototype.writeHead

/** Node looks at these itself, and decides by them. */
const DECIDING: ReadonlySet<string> = new Set(
  'connection content-disposition content-length date expect keep-alive trailer transfer-encoding'.split(' '),
)
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304])
/** Characters that no header may hold (RFC 9110, 5.5). */
const INVALID = /[^\t\x20-\x7e\x80-\xff]/

/**
 * Gives a response its head, as `writeHead` does, which looks at each name and each value through wrappers of two
 * patterns: of a short answer a twentieth. Rows `0.5 KB` of `npm run bench:chat`.
 *
 * Where Node keeps heads in another way, or a header decides more than itself, the head is left to `writeHead`.
 *
 * @param headers names, in lower case, and values in turn
 * @param length of the body in bytes; undefined for one that comes in chunks
 */
export function storeHead(
  response: NodeResponse,
  status: number,
  headers: readonly string[],
  length: number | undefined,
): void {
  const lines = isPlain(response, status) ? linesOf(headers) : undefined
  if (lines === undefined || response._storeHeader === undefined) {
    const all = length === undefined ? headers : [...headers, 'content-length', String(length)]
    response.writeHead(status, [...all])
    return
  }
  const reason = STATUS_CODES[status] ?? 'unknown'
  response.statusCode = status
  response.statusMessage = reason
  if (length !== undefined) response._contentLength = length
  response._storeHeader(`HTTP/1.1 ${status} ${reason}\r\n${lines}`, undefined)
}

function isPlain(response: NodeResponse, status: number): boolean {
  return (
    status >= 200 &&
    !WITHOUT_BODY.has(status) &&
    response.req.method !== 'HEAD' &&
    response.writeHead === WRITE_HEAD &&
    response.getHeaderNames().length === 0
  )
}

/** Undefined where one of them is not plain. */
function linesOf(headers: readonly string[]): string | undefined {
  let lines = ''
  let values = ''
  for (let index = 0; index < headers.length; index += 2) {
    const name = at(headers, index)
    const value = at(headers, index + 1)
    if (DECIDING.has(name)) return undefined
    lines += `${name}: ${value}\r\n`
    values += value
  }
  return INVALID.test(values) ? undefined : lines
}
