import { Server, type Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../errors.js'
import { bareAnswer } from '../answers/error-handling.js'
import { requestOf } from '../requests/request-context.js'
import { OpenStreams } from '../streams/open-streams.js'
import { closeIdle, type HttpSocket } from './idle-connections.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Streams without an end of their own: they end as soon as the server begins to close. */
    openStreams: OpenStreams
    /** True from the moment the server is about to close: it takes requests, and says that it will not for long. */
    leaving: boolean
    /** True from the moment the server starts to close. */
    draining: boolean
    /** How long running requests may continue once the server closes, in milliseconds. */
    drainMs: number
    /** Connections that were ever accepted. */
    accepted: { count: number }
    /** Takes connections from another listener as its own; closes it, and waits for them, when it closes itself. */
    acceptFrom: (listener: Server) => void
    /** Takes no more connections; those that are there stay as they are. */
    stopListening: () => void
  }
}

/** After the drain limit, running work gets this long to answer that it was ended. */
const LAST_WORDS_MS = 500

/**
 * The one owner of the server's sockets, and of how it closes: no new connections; sockets on which no whole request
 * has come are closed at once, endless streams ended; running requests may finish within `drainMs`, and are ended
 * then. So closing takes at most `drainMs` and half a second, whatever clients and upstreams do.
 */
export function addLifeCycle(server: FastifyInstance, drainMs: number): void {
  const streams = new OpenStreams()
  const sockets = new Set<HttpSocket>()
  server.decorate('openStreams', streams)
  server.decorate('leaving', false)
  server.decorate('draining', false)
  server.decorate('drainMs', drainMs)
  const accepted = { count: 0 }
  server.decorate('accepted', accepted)
  const stopLooking = closeIdle(server.server, sockets)
  const listeners: Server[] = []
  let closed: Promise<unknown> | undefined
  server.decorate('stopListening', () => {
    // HTTP's own way to stop would also cut the connections that are idle, on which the next request may be on its way.
    closed ??= Promise.all([server.server, ...listeners].map(closing))
  })
  server.decorate('acceptFrom', (listener: Server) => {
    listeners.push(listener)
    listener.on('connection', (socket: Socket) => server.server.emit('connection', socket))
  })
  server.server.on('connection', (socket: HttpSocket) => {
    accepted.count += 1
    if (server.draining) return void socket.destroy()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.addHook('preClose', (done) => {
    server.leaving = true
    server.draining = true
    streams.endAll(drained())
    for (const socket of sockets) closeWhenAnswered(socket)
    endAtLimit(server, sockets, server.drainMs)
    closed ??= Promise.all(listeners.map(closing))
    done()
  })
  server.addHook('onClose', async () => {
    stopLooking()
    await closed
  })
}

function closing(listener: Server): Promise<void> {
  return new Promise((resolve) => Server.prototype.close.call(listener, () => resolve()))
}

/**
 * Announces the end, and waits: readiness answers 503 and every answer closes its connection, while requests are taken as
 * before, so that anybody who sends them here goes elsewhere in time. Resolves once what was sent until then is read.
 *
 * @param lookMs how long that may take, however much more comes meanwhile
 */
export async function announceEnd(server: FastifyInstance, delayMs: number, lookMs: number): Promise<void> {
  server.leaving = true
  await sleep(delayMs)
  await takeIn(server, lookMs)
}

/**
 * A busy loop hears of the end before it has looked at what came meanwhile: requests that wait in the kernel, which would
 * be cut off unread. Each turn of the loop accepts one connection and reads what is there, until one brings nothing new.
 */
async function takeIn(server: FastifyInstance, lookMs: number): Promise<void> {
  const { accepted, inFlight } = server
  const limit = AbortSignal.timeout(lookMs)
  let seen = -1
  while (seen !== accepted.count + inFlight.begun && !limit.aborted) {
    seen = accepted.count + inFlight.begun
    await turn()
    await turn()
  }
}

/** Node itself keeps a socket that never sent a byte, or is in the middle of a request, until its time is over. */
function closeWhenAnswered(socket: HttpSocket): void {
  const response = socket._httpMessage
  if (!response?.req.complete) return void socket.destroy()
  // Says `connection: close` if the head is still to be written.
  response.shouldKeepAlive = false
  response.once('close', () => socket.destroySoon())
}

function endAtLimit({ server }: FastifyInstance, sockets: ReadonlySet<HttpSocket>, drainMs: number): void {
  const end = () => {
    for (const socket of sockets) endRunning(socket)
    timer = setTimeout(cut, LAST_WORDS_MS)
  }
  const cut = () => {
    for (const socket of sockets) cutOff(socket)
  }
  let timer = setTimeout(end, drainMs)
  server.once('close', () => clearTimeout(timer))
}

/** Work that listens to its client's going away ends with this error: as an answer, or as a stream's last event. */
function endRunning({ _httpMessage: response }: HttpSocket): void {
  if (response) requestOf(response)?.cancellation?.abort(drained())
}

/** The last resort, for work that does not listen. */
function cutOff(socket: HttpSocket): void {
  const { _httpMessage: response } = socket
  if (response && !response.headersSent && socket.writable)
    socket.end(bareAnswer(503, drained(), requestOf(response)?.id ?? ''))
  setImmediate(() => socket.destroy())
}

/** Holds that the server has not begun to close. @throws ServiceError `not_ready` */
export function assertServing({ draining }: FastifyInstance): void {
  if (draining) throw drained()
}

/** Holds that the server is not about to close. @throws ServiceError `not_ready` */
export function assertStaying({ leaving }: FastifyInstance): void {
  if (leaving) throw drained()
}

function drained(): ServiceError {
  return new ServiceError('not_ready', 'The service is shutting down')
}
