import { createServer } from 'node:http'
import { createDelay } from './delay.mjs'

const TEXT = 'Two clients that write at once may lose one of the writes: use a transaction. '.repeat(5)
const COMPLETION = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 120, completion_tokens: 80, total_tokens: 200 },
})
const HEADERS = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(COMPLETION) }
const CHUNK = `data: ${JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'm',
  choices: [{ index: 0, delta: { content: ' word' }, finish_reason: null }],
})}\n\n`
const AT_ONCE = { delayMs: 0, chunks: 0, paceMs: 0 }
const LAST = CHUNK.replace('"finish_reason":null', '"finish_reason":"stop"')

/**
 * Answers every chat request alike, whatever it holds: gateways leave out fields they do not know. How it answers is
 * told beside the requests: `GET /behave?delayMs=5&chunks=20&paceMs=20`.
 */
export function upstream() {
  let behaviour = AT_ONCE
  const delay = createDelay()
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const { searchParams } = new URL(request.url, 'http://x')
      const told = Object.fromEntries([...searchParams].map(([name, value]) => [name, Number(value)]))
      // What is not told is as usual: a delay that is no number would never end.
      behaviour = { ...AT_ONCE, ...told }
      response.end()
      return
    }
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const { delayMs, chunks, paceMs } = behaviour
      if (text.includes('"stream":true')) stream(chunks, paceMs, response)
      else if (delayMs === 0) send(response)
      else delay(delayMs, () => send(response))
    })
  })
  server.listen(Number(process.env.PORT), '127.0.0.1')
}

function send(response) {
  response.writeHead(200, HEADERS)
  response.end(COMPLETION)
}

function stream(chunks, paceMs, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  let sent = 0
  const end = () => {
    response.write(LAST)
    response.end('data: [DONE]\n\n')
  }
  const next = () => {
    if (response.destroyed) return
    sent += 1
    if (sent >= chunks) return end()
    const isFree = response.write(CHUNK)
    if (paceMs > 0) setTimeout(next, paceMs)
    else if (isFree) setImmediate(next)
    else response.once('drain', next)
  }
  next()
}
