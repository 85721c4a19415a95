import { PROTOCOL_IDS, type ProtocolId } from '../../../src/protocols/protocol.js'
import {
  chunk,
  completion,
  EVENT_STREAM,
  event,
  type RecordedRequest,
  type ScriptedUpstream,
  startScriptedUpstream,
  stream,
} from '../../../src/testing.js'
import { sendJson, startHttpServer } from '../../integration/tools/http-server.js'
import type { HttpRow } from '../tables/http-row.js'
import { type AttackedService, type AttackResult, attack, startAttackedService } from './attack.js'
import { mistakeOf, sendRow } from './http-attack.js'

/** The built service with an agent for each protocol, whose model says what a row says. */
export interface AttackedByAgent {
  readonly service: AttackedService
  /** A new chat in which the model says this text, in pieces, and then "done". */
  converse(protocol: ProtocolId, text: string): Promise<AttackResult>
  /** A new chat in which the model calls the tool with each of these arguments, and then says "done". */
  call(calls: readonly string[]): Promise<AttackResult>
  /** Sends the body of a user interface. */
  send(row: HttpRow): Promise<AttackResult>
  /** Deletes every session that was begun. */
  forgetSessions(): Promise<void>
  /** The exit code. */
  stop(): Promise<number | null>
}

/** As models send a token or some. */
const PIECE = 4_096

/** Starts both; the tool of the agents answers each call with an empty object. */
export async function startAttackedByAgent(): Promise<AttackedByAgent> {
  const upstream: ScriptedUpstream = await startScriptedUpstream()
  const server = await startHttpServer((request, response) => {
    request.resume().on('end', () => sendJson(response, {}))
  })
  const tool = { url: server.url, parameters: [{ name: 'path', type: 'string' }] }
  const agents = PROTOCOL_IDS.map((protocol) => [
    `agents/t/${protocol}.json`,
    { protocol, tools: ['m.*'], model: 'm', limits: { steps: 3 } },
  ])
  const service = await startAttackedService(
    { 'tools/m/read.json': tool, ...Object.fromEntries(agents) },
    { LLM_BASE_URL: `${upstream.url}/v1`, TOOL_ALLOWED_HOSTS: '127.0.0.1:*', LOG_LEVEL: 'fatal' },
  )
  let chats = 0
  const user = { role: 'user', parts: [{ type: 'text', text: 'hi' }] }
  const chat = (protocol: ProtocolId, answer: ReturnType<typeof said>) => {
    chats += 1
    upstream.script(answer, stream(['done']))
    const body = { id: `chat${chats}`, messages: [user] }
    return attack({ service, path: `/api/agents/t.${protocol}/ui`, body })
  }
  return {
    service,
    converse: (protocol, text) => chat(protocol, said(text)),
    call: (calls) => chat('native', called(calls)),
    send(row) {
      upstream.script(done)
      return sendRow(service, row)
    },
    async forgetSessions() {
      const sessions = `${service.url}/api/sessions`
      for (;;) {
        const listed = await fetch(sessions)
        const { items } = (await listed.json()) as { readonly items: readonly { readonly id: string }[] }
        if (items.length === 0) return
        for (const { id } of items) await fetch(`${sessions}/${id}`, { method: 'DELETE' })
      }
    },
    async stop() {
      const code = await service.stop()
      await Promise.all([server.close(), upstream.close()])
      return code
    },
  }
}

/** What is wrong with a conversation; undefined for nothing. */
export function mistakeOfConversation({ status, body }: AttackResult): string | undefined {
  const text = String(body)
  const isWhole = status === 200 && text.trimEnd().endsWith('data: [DONE]')
  return isWhole && !/internal_error|internal server/i.test(text)
    ? undefined
    : `${status} ${text.slice(-300)}`
}

/** What is wrong with the answer to the body of a user interface; undefined for nothing: the model has answered, if it was asked. */
export function mistakeOfUi(row: HttpRow, answer: AttackResult): string | undefined {
  const text = String(answer.body)
  const isFailed = /llm_unavailable|internal_error/.test(text)
  return mistakeOf(row, answer) ?? (isFailed ? text.slice(-300) : undefined)
}

/** A turn is streamed; the summary of a long chat is asked for at once. */
function done({ body }: RecordedRequest) {
  return body['stream'] === true ? stream(['done']) : completion('done')
}

function said(text: string) {
  const pieces = cut(text).map((piece) => event(chunk(piece)))
  return { headers: EVENT_STREAM, pieces: [...pieces, event(chunk('', 'stop')), event('[DONE]')] }
}

function called(calls: readonly string[]) {
  const pieces = calls.flatMap((text, index) => [
    pieceOfCall(index, { id: `c${index}`, type: 'function', function: { name: 'm_read', arguments: '' } }),
    ...cut(text).map((piece) => pieceOfCall(index, { function: { arguments: piece } })),
  ])
  return { headers: EVENT_STREAM, pieces: [...pieces, event(chunk('', 'tool_calls')), event('[DONE]')] }
}

function pieceOfCall(index: number, call: object): string {
  return event(JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index, ...call }] } }] }))
}

function cut(text: string): readonly string[] {
  return text.match(new RegExp(`[^]{1,${PIECE}}`, 'g')) ?? []
}
