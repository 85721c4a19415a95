import { ServerResponse, STATUS_CODES } from 'node:http'
import { at } from '../../util/at.js'

/** What Node's `writeHead` makes a head with: it adds the date, the length and what becomes of the connection. */
type NodeResponse = ServerResponse & {
  _storeHeader?: (lines: string, headers: undefined) => void
  _contentLength?: number | null
}

/** Who gives a response another one wants to see its headers: `inject`, and what records answers. */
const WRITE_HEAD = ServerResponse.prototype.writeHead

/** What some headers are, by their names: Node decides by these, or their values are numbers and words of the service's own. */
const KINDS: ReadonlyMap<string, 'deciding' | 'known'> = new Map([
  ['connection', 'deciding'],
  ['content-length', 'deciding'],
  ['date', 'deciding'],
  ['transfer-encoding', 'deciding'],
  ['server-timing', 'known'],
  ['x-content-type-options', 'known'],
] as const)
/** Characters that no header may hold (RFC 9110, 5.5). */
const INVALID = /[^\t\x20-\x7e\x80-\xff]/

/**
 * Gives a response its head, as `writeHead` does, which looks at each name and each value through wrappers of two
 * patterns: of a short answer a twentieth. Rows `0.5 KB` of `npm run bench:chat`.
 *
 * Where Node keeps heads in another way, or a header decides more than itself, the head is left to `writeHead`.
 *
 * @param headers names, in lower case, and values in turn; they may be added to
 * @param length of the body in bytes; undefined for one that comes in chunks
 */
export function storeHead(
  response: NodeResponse,
  status: number,
  headers: string[],
  length: number | undefined,
): void {
  const lines = isPlain(response, status) ? linesOf(headers) : undefined
  if (lines === undefined || response._storeHeader === undefined) {
    if (length !== undefined) headers.push('content-length', String(length))
    response.writeHead(status, headers)
    return
  }
  response.statusCode = status
  response.statusMessage = STATUS_CODES[status] ?? 'unknown'
  if (length !== undefined) response._contentLength = length
  response._storeHeader(`HTTP/1.1 ${status} ${response.statusMessage}\r\n${lines}`, undefined)
}

/** Whether a response has a body, and nobody has begun its head or gives it another one. */
function isPlain(response: NodeResponse, status: number): boolean {
  const hasBody = status >= 200 && status !== 204 && status !== 304 && response.req.method !== 'HEAD'
  return hasBody && response.writeHead === WRITE_HEAD && response.getHeaderNames().length === 0
}

/** Undefined where one of them is not plain. */
function linesOf(headers: readonly string[]): string | undefined {
  let lines = ''
  for (let index = 0; index < headers.length; index += 2) {
    const name = at(headers, index)
    const value = at(headers, index + 1)
    const kind = KINDS.get(name)
    if (kind === 'deciding') return undefined
    // A text that was just put together, as times are, is searched by a slow path.
    if (kind === undefined && INVALID.test(value)) return undefined
    lines += `${name}: ${value}\r\n`
  }
  return lines
}
