import { ServerResponse } from 'node:http'
import { at } from '../../util/at.js'

/** Node's own step from a first line and headers to the head of an answer. It looks at the headers, not at the line. */
interface HeadStore {
  readonly _storeHeader?: (firstLine: string, headers: readonly string[]) => void
}

/** Headers by which Node decides how the answer is framed, and what becomes of the connection. */
const FRAMING: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'date', 'expect', 'keep-alive', 'trailer', 'transfer-encoding'],
])

/** Values that Node would take as they are. */
const PLAIN = /^[\x20-\x7e]*$/

/**
 * Stores the head of a 200 in one piece. `writeHead` looks at each name and each value with a pattern and a call of its own, which
 * costs a render a twentieth: here names are known to be lowercase tokens, and headers that do not concern Node go past it,
 * behind the status line. Rows `render` and `chat` of `npm run bench:price`.
 *
 * @param headers names, in lower case, and values in turn
 * @returns false where it has to be written by `writeHead`: for a response of another class, with headers of its own, with a value that is
 * not plain, or of a Node without this step
 */
export function storeHead(response: ServerResponse & HeadStore, headers: readonly string[]): boolean {
  if (Object.getPrototypeOf(response) !== ServerResponse.prototype || response._storeHeader === undefined)
    return false
  if (response.headersSent || response.getHeaderNames().length > 0) return false
  let lines = 'HTTP/1.1 200 OK\r\n'
  const framing: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    const name = at(headers, index)
    const value = at(headers, index + 1)
    if (FRAMING.has(name)) framing.push(name, value)
    else if (PLAIN.test(value)) lines += `${name}: ${value}\r\n`
    else return false
  }
  response.statusCode = 200
  response.statusMessage = 'OK'
  response._storeHeader(lines, framing)
  return true
}
