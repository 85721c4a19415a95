import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChatService, startChatService } from '../../support/chat-service.js'

let service: ChatService
beforeAll(async () => {
  service = await startChatService()
  await service.app.registry.whenReady()
})
afterAll(() => service.close())

/** One request for each way an answer is written: past Fastify, by Fastify, as an error. */
const ANSWERS: readonly (readonly [string, string, object | undefined])[] = [
  ['a render', '/api/render/prompts/partials.house_style', {}],
  ['a chat', '/api/chat/prompts/partials.house_style', {}],
  ['a long chat', '/api/chat', { prompt: { userPrompt: 'x'.repeat(100_000) } }],
  ['a streamed chat', '/api/chat/prompts/partials.house_style', { stream: true }],
  ['a response', '/v1/responses', { model: 'echo', input: 'Hello' }],
  ['a list', '/api/prompts', undefined],
  ['an environ', '/api/environs/vscode', undefined],
  ['an error', '/api/render/prompts/none', {}],
  ['an unknown route', '/nothing', undefined],
]

/** Asks on this agent's connection; a server that drains takes no new one. */
async function ask(agent: Agent, path: string, body?: object): Promise<IncomingHttpHeaders> {
  const request = httpRequest(`${service.url}${path}`, {
    agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-request-id': 'mine', 'content-type': 'application/json' },
  })
  request.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return answer.headers
}

function openAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 })
}

describe.each(ANSWERS)('%s', (_name, path, body) => {
  it('is read by browsers as what it says it is', async () => {
    const agent = openAgent()
    try {
      expect((await ask(agent, path, body))['x-content-type-options']).toBe('nosniff')
    } finally {
      agent.destroy()
    }
  })

  it('carries its request id, and keeps the connection until the service drains', async () => {
    const agent = openAgent()
    const usual = await ask(agent, path, body)
    service.app.server.leaving = true
    try {
      const last = await ask(agent, path, body)
      const read = (headers: IncomingHttpHeaders) =>
        ['x-request-id', 'connection', 'keep-alive'].map((name) => headers[name])
      expect(read(usual)).toEqual(['mine', 'keep-alive', 'timeout=72'])
      expect(read(last)).toEqual(['mine', 'close', undefined])
    } finally {
      service.app.server.leaving = false
      agent.destroy()
    }
  })
})

describe('the stream of changes', () => {
  it('carries its request id', async () => {
    const leave = new AbortController()
    const headers = { 'x-request-id': 'mine' }
    const answer = await fetch(`${service.url}/api/events`, { headers, signal: leave.signal })
    expect(answer.headers.get('x-request-id')).toBe('mine')
    leave.abort()
  })
})
