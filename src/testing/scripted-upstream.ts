import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { toCompletion, toDeltaChunk } from '../llm/chat/write-completion.js'
import { at } from '../util/at.js'
import { type JsonObject, parseJson } from '../util/json/json.js'
import { jsonObject } from '../util/json/json-fields.js'

/** One answer of the scripted server, byte for byte. */
export interface ScriptedAnswer {
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Written one by one, each in its own packet. */
  readonly pieces?: readonly (string | Uint8Array)[]
  /** Before the headers. */
  readonly delayMs?: number
  /** Between pieces. */
  readonly pieceMs?: number
  /** After the last piece; default `end`. `reset` breaks the connection, `hang` leaves it open and silent. */
  readonly ends?: 'end' | 'reset' | 'hang'
  /** With `reset` or `hang`: not even a status line is sent. */
  readonly silent?: boolean
}

/** What reached the scripted server. */
export interface RecordedRequest {
  /** `performance.now()` when it was complete. */
  readonly at: number
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** The parsed body. */
  readonly body: JsonObject
}

/** A real HTTP server that returns scripted answers and records its requests. */
export interface ScriptedUpstream {
  /** For `LLM_BASE_URL`. */
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  /** Connections whose request has not been answered to the end. */
  readonly busy: number
  /** Answers in order; the last one repeats. Forgets earlier requests. */
  script(...answers: readonly (ScriptedAnswer | ((request: RecordedRequest) => ScriptedAnswer))[]): void
  close(): Promise<void>
}

type Step = ScriptedAnswer | ((request: RecordedRequest) => ScriptedAnswer)

/** Starts a scripted upstream on a free loopback port. The caller closes it. */
export async function startScriptedUpstream(...answers: readonly Step[]): Promise<ScriptedUpstream> {
  let steps: readonly Step[] = answers.length > 0 ? answers : [completion('scripted')]
  let next = 0
  const requests: RecordedRequest[] = []
  const busy = new Set<ServerResponse>()
  const sockets = new Set<Socket>()
  const closing = new AbortController()
  // As many as there are answers under way.
  setMaxListeners(0, closing.signal)

  const server = createServer((incoming, response) => {
    busy.add(response)
    response.on('close', () => busy.delete(response))
    void handle(incoming, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(incoming)
    const request: RecordedRequest = {
      at: performance.now(),
      path: incoming.url ?? '',
      headers: incoming.headers,
      text,
      body: text === '' ? {} : jsonObject(parseJson(text)),
    }
    requests.push(request)
    const step = at(steps, Math.min(next, steps.length - 1))
    next += 1
    await play(typeof step === 'function' ? step(request) : step, response, closing.signal)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${portOf(server)}/v1`,
    requests,
    get busy() {
      return busy.size
    },
    script(...script) {
      steps = script
      next = 0
      requests.length = 0
    },
    async close() {
      closing.abort()
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function portOf(server: Server): number {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the server is not bound to a port')
  return bound.port
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

async function play(answer: ScriptedAnswer, response: ServerResponse, signal: AbortSignal): Promise<void> {
  const { status = 200, headers = {}, pieces = [], ends = 'end' } = answer
  if (answer.delayMs !== undefined) await sleep(answer.delayMs, undefined, { signal })
  if (answer.silent !== true) {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    // Headers in a packet of their own, so that a reset right after them is one after them.
    response.flushHeaders()
    response.socket?.setNoDelay(true)
  }
  for (const [index, piece] of pieces.entries()) {
    if (response.destroyed) return
    if (index > 0) await pause(answer.pieceMs, signal)
    response.write(piece)
  }
  if (ends === 'end') response.end()
  if (ends === 'reset') {
    await sleep(answer.pieceMs ?? 5, undefined, { signal })
    response.socket?.resetAndDestroy()
  }
}

async function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms === undefined) await nextTurn()
  else await sleep(ms, undefined, { signal })
}

/** A whole chat completion that says `text`. Further fields replace or join its own. */
export function completion(text: string, fields: Readonly<Record<string, unknown>> = {}): ScriptedAnswer {
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
  const body = toCompletion(headOf('chat.completion'), { role: 'assistant', content: text }, 'stop', usage)
  return { pieces: [JSON.stringify({ ...body, ...fields })] }
}

/** A streamed answer of these texts, one event each, closed by `[DONE]`. */
export function stream(texts: readonly string[], options: Partial<ScriptedAnswer> = {}): ScriptedAnswer {
  return {
    headers: EVENT_STREAM,
    pieces: [...texts.map((text) => event(chunk(text))), event(chunk('', 'stop')), event('[DONE]')],
    ...options,
  }
}

/** The headers of an event stream. */
export const EVENT_STREAM: Readonly<Record<string, string>> = { 'content-type': 'text/event-stream' }

/** The JSON of one streamed piece of text. */
export function chunk(text: string, finishReason: string | null = null): string {
  const delta = text === '' ? {} : { role: 'assistant', content: text }
  return JSON.stringify(toDeltaChunk(headOf('chat.completion.chunk'), delta, finishReason))
}

function headOf(object: string): JsonObject {
  return { id: 'chatcmpl-scripted', object, created: 1_700_000_000, model: 'scripted' }
}

/** One server-sent event. */
export function event(data: string): string {
  return `data: ${data}\n\n`
}

/** An error in OpenAI's shape. */
export function failure(
  status: number,
  message: string,
  options: Partial<ScriptedAnswer> = {},
): ScriptedAnswer {
  return {
    status,
    pieces: [JSON.stringify({ error: { message, type: 'scripted', code: null, param: null } })],
    ...options,
  }
}
