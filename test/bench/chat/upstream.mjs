import { createServer } from 'node:http'

const TEXT = 'Two clients that write at once may lose one of the writes: use a transaction. '.repeat(5)
const COMPLETION = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 120, completion_tokens: 80, total_tokens: 200 },
})
const CHUNK = `data: ${JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'm',
  choices: [{ index: 0, delta: { content: ' word' }, finish_reason: null }],
})}\n\n`
const LAST = CHUNK.replace('"finish_reason":null', '"finish_reason":"stop"')

/** Answers at once, after `delay_ms`, or with a stream of `chunks` at a pace of `pace_ms`, as the request says. */
export function upstream() {
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => answer(text, response))
  })
  server.listen(Number(process.env.PORT), '127.0.0.1')
}

function answer(text, response) {
  if (text.includes('"stream":true')) return stream(JSON.parse(text), response)
  const delayMs = Number(/"delay_ms":(\d+)/.exec(text)?.[1] ?? 0)
  const send = () => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(COMPLETION),
    })
    response.end(COMPLETION)
  }
  if (delayMs === 0) send()
  else setTimeout(send, delayMs)
}

function stream({ chunks, pace_ms: paceMs }, response) {
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
