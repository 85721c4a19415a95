import { connect } from 'node:net'

/** An answer, a connection or a stream that is not there by then never comes. */
const LONGEST_MS = 60_000

/** A few kept-alive connections to a target that speak just enough HTTP. A request may name a path of its own. */
export async function openConnections(target, count) {
  const idle = await Promise.all(Array.from({ length: count }, () => open(target)))
  return {
    async request(path) {
      const connection = idle.pop() ?? (await open(target))
      const answer = await connection.ask(path)
      idle.push(connection)
      return answer
    },
    close() {
      for (const connection of idle) connection.close()
    },
  }
}

function open(target) {
  const request = message(target, target.body)
  return new Promise((opened, failed) => {
    let answered
    let refused = failed
    const socket = connect(target.port, '127.0.0.1', () =>
      opened({
        ask(path) {
          socket.write(path === undefined ? request : message({ ...target, path }, target.body))
          return new Promise((done, fail) => {
            answered = done
            refused = fail
          })
        },
        close: () => socket.destroy(),
      }),
    )
    socket.setNoDelay(true)
    endsBeforeLong(socket, target, (error) => refused(error))
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      if (!isComplete(text)) return
      const answer = text
      text = ''
      answered(answer)
    })
  })
}

/** Fails who waits when the connection fails, closes or says nothing for long. */
function endsBeforeLong(socket, { name }, fail) {
  socket.setTimeout(LONGEST_MS, () => socket.destroy(new Error(`${name}: nothing for ${LONGEST_MS} ms`)))
  socket.on('error', fail)
  socket.on('close', () => fail(new Error(`${name}: the connection ended early`)))
}

function isComplete(text) {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = /content-length: (\d+)/i.exec(text)?.[1]
  return length ? text.length >= end + 4 + Number(length) : text.endsWith('0\r\n\r\n')
}

/** One stream over a raw socket, so that the reader costs next to nothing. */
export function readStream(target) {
  return new Promise((done, fail) => {
    const begin = performance.now()
    const request = message(target, { ...target.body, stream: true })
    const socket = connect(target.port, '127.0.0.1', () => socket.write(request))
    let firstMs
    let events = 0
    let tail = ''
    socket.on('data', (bytes) => {
      const text = tail + bytes.toString('latin1')
      if (firstMs === undefined && text.includes('data: {')) firstMs = performance.now() - begin
      let at = text.indexOf('data: {')
      let next = 0
      while (at !== -1) {
        events += 1
        next = at + 7
        at = text.indexOf('data: {', next)
      }
      tail = text.slice(Math.max(next, text.length - 6))
      if (text.includes('[DONE]')) {
        socket.destroy()
        done({ firstMs, events })
      }
    })
    endsBeforeLong(socket, target, fail)
    socket.on('end', () => fail(new Error(`${target.name}: the stream ended early`)))
  })
}

function message({ path, headers }, content) {
  const body = JSON.stringify(content)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${lines.join('')}\r\n${body}`
}
