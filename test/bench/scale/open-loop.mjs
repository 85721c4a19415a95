// Requests at a fixed rate, whatever becomes of those before, over bare sockets: a client that leaves little to collect
// and computes little, since it shares the machine with the service.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const TICK_MS = 1
const HEAD_END = '\r\n\r\n'
const OK = Buffer.from('HTTP/1.1 200 ')
const LENGTH = /\r\ncontent-length: (\d+)/i

/**
 * @param origin where the service is: `http://host:port`
 * @param rate requests a second
 * @param seconds how long
 * @param connections this many, each with one request at a time
 * @param next the bytes of a request, as {@link requestBytes} writes them
 * @returns times of the answers with status 200 in ms, sorted, and how many others there were; a time counts from when
 *   the request came up, so with its wait for a connection, but without a tick of the client that came late
 */
export async function openLoop({ origin, rate, seconds, connections, next, signal }) {
  const free = await Promise.all(Array.from({ length: connections }, () => open(origin)))
  const all = [...free]
  const waiting = []
  const times = []
  let failed = 0
  const total = rate * seconds
  let [asked, answered] = [0, 0]
  const ask = (connection, { bytes, cameAt }) =>
    connection.ask(bytes, (isFine) => {
      answered += 1
      if (isFine) times.push(performance.now() - cameAt)
      else failed += 1
      const following = waiting.shift()
      if (following === undefined) free.push(connection)
      else ask(connection, following)
    })
  const startedAt = performance.now()
  while (asked < total && signal?.aborted !== true) {
    const cameAt = performance.now()
    const due = Math.min(total, ((cameAt - startedAt) / 1_000) * rate)
    for (; asked < due; asked += 1) {
      const request = { bytes: next(), cameAt }
      const connection = free.pop()
      if (connection === undefined) waiting.push(request)
      else ask(connection, request)
    }
    await sleep(TICK_MS)
  }
  while (answered < asked) await sleep(TICK_MS)
  for (const connection of all) connection.close()
  return { times: times.sort((a, b) => a - b), failed }
}

/** A request with a JSON body, ready to be sent. */
export function requestBytes({ method, path, body }) {
  const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`
  return Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}${HEAD_END}${body}`)
}

/** A connection that is asked again and again; one that ends fails what was asked, and all that follows. */
async function open(origin) {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  let [isFine, missing, settle, isOver] = [false, 0, undefined, false]
  const end = (result) => {
    const settled = settle
    settle = undefined
    settled?.(result)
  }
  socket.on('data', (chunk) => {
    if (missing > 0) missing -= chunk.length
    else {
      isFine = chunk.subarray(0, OK.length).equals(OK)
      missing = sizeOf(chunk) - chunk.length
    }
    if (missing <= 0) end(isFine)
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isOver = true
    end(false)
  })
  const ask = (bytes, settled) => {
    settle = settled
    if (isOver) setImmediate(end, false)
    else socket.write(bytes)
  }
  return { ask, close: () => socket.destroy() }
}

/** Bytes of the whole answer, whose head comes in one piece. */
function sizeOf(chunk) {
  const end = chunk.indexOf(HEAD_END)
  const length = LENGTH.exec(chunk.latin1Slice(0, end))?.[1]
  if (end < 0 || length === undefined) throw new Error('the answer does not say how long it is')
  return end + HEAD_END.length + Number(length)
}
