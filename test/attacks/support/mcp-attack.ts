import type { McpMessage } from '../tables/mcp-messages.js'
import { type AttackedService, type AttackResult, attack } from './attack.js'

const MAX_ERROR_LENGTH = 64_000

/** Sends a message to `/mcp`, as clients of 2025 do. */
export async function sendMcp(
  service: AttackedService,
  { method, params }: McpMessage,
): Promise<AttackResult> {
  const headers = { accept: 'application/json, text/event-stream' }
  const body = { jsonrpc: '2.0', id: 1, method, params: params() }
  const answer = await attack({ service, path: '/mcp', headers, body })
  if (typeof answer.body !== 'string') return answer
  const [, event = 'null'] = /^data: (.*)$/m.exec(answer.body) ?? []
  return { ...answer, body: JSON.parse(event) }
}

/** Whether a message had a result. */
export function wordOf({ body }: AttackResult): string {
  return body?.result === undefined ? String(body?.error?.code) : 'result'
}

/** What is wrong with an answer; undefined for nothing. */
export function mistakeOfMcp({ status, body, length }: AttackResult): string | undefined {
  if (status !== 200) return `status ${status}: ${JSON.stringify(body)?.slice(0, 300)}`
  if (body?.result !== undefined) return undefined
  if (body?.error === undefined) return `neither result nor error: ${JSON.stringify(body)?.slice(0, 300)}`
  return length > MAX_ERROR_LENGTH ? `an error of ${length} characters` : undefined
}
