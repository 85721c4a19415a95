import { ServerResponse } from 'node:http'
import { atEndOfTurn } from '../../util/slices/end-of-turn.js'

interface Answer {
  readonly response: ServerResponse
  readonly text: string
  readonly encoding: Encoding
}

type Encoding = 'utf8' | 'latin1'

/** What Node keeps of a head that `writeHead` made: its text, and whether it is written. */
type HeadedResponse = ServerResponse & { readonly _header?: string | null; _headerSent?: boolean }

/** Maximum number of answers that wait to be written together. Without it, the first of a flood would wait for the last. */
const MAX_AT_ONCE = 32

/** Who gives a response another one wants to see what is written: `inject`, and what compresses or records. */
const WRITE = ServerResponse.prototype.write

/** Answers of the current turn of the event loop that are not written yet. */
let waiting: Answer[] = []
/** How many answers the current turn has given. */
let given = 0
/** Whether the last turn with answers gave only one. */
let isQuiet = true

/**
 * Ends a response whose head is written, together with all others of this turn of the event loop: right after the
 * turn's last request was read, or when they are many. A turn brings many requests under load, and a reader that gets one
 * answer at a time falls asleep between them; waking it each time costs more than writing. While turns bring one request
 * each, answers do not wait: row `service` of `npm run bench:http` at one connection.
 */
export function endTogether(response: ServerResponse, text: string, encoding: Encoding = 'utf8'): void {
  given += 1
  if (given === 1) {
    atEndOfTurn(endTurn)
    if (isQuiet) return void end(response, text, encoding)
  }
  if (waiting.push({ response, text, encoding }) === MAX_AT_ONCE) writeTogether()
}

/** Writes what waits to be written, before the turn continues with something that takes long. */
export function writeTogether(): void {
  if (waiting.length === 0) return
  const answers = waiting
  waiting = []
  for (const { response, text, encoding } of answers) end(response, text, encoding)
}

function endTurn(): void {
  isQuiet = given === 1
  given = 0
  writeTogether()
}

/**
 * Writes a whole answer at once and in one piece. Left to itself, Node gathers what is written until the next tick, and an
 * answer that is ended before that tick becomes two pieces. Row `service` of `npm run bench:http` at one connection.
 *
 * A Node that keeps heads in another way ends the answer itself.
 */
function end(response: HeadedResponse, text: string, encoding: Encoding): void {
  const { socket, _header: head } = response
  // The answer to a pipelined request gets its socket when those before it are out, and one to HEAD has no body.
  const isWritable = socket?.writable === true && response.req.method !== 'HEAD' && response.write === WRITE
  if (!isWritable || typeof head !== 'string' || response._headerSent !== false)
    return void response.end(text, encoding)
  response._headerSent = true
  socket.write(head + text, encoding)
  response.end()
}
