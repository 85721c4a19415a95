import { createServer } from 'node:http'
import { Pool } from 'undici'

/** What the service sends too. */
const HEADERS = {
  'content-type': 'application/json',
  'user-agent': 'relay',
  authorization: 'Bearer x',
  'x-request-id': 'req-0123456789ab-0',
}

/** The least a relay can do in Node: bytes in, undici's `dispatch`, bytes out, with as many headers as the service. */
export function relay(base) {
  const { origin, pathname } = new URL(base)
  const pool = new Pool(origin, { connections: 512 })
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => forward(pool, pathname, Buffer.concat(chunks), response))
  })
  server.listen(Number(process.env.PORT), '127.0.0.1')
}

function forward(pool, pathname, body, response) {
  pool.dispatch(
    { method: 'POST', path: `${pathname}/chat/completions`, headers: HEADERS, body },
    {
      onRequestStart() {},
      onResponseStart(_controller, status, answered) {
        response.writeHead(status, answered)
      },
      onResponseData(_controller, chunk) {
        response.write(chunk)
      },
      onResponseEnd() {
        response.end()
      },
      onResponseError() {
        response.destroy()
      },
    },
  )
}
