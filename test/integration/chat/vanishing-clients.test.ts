import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  chunk,
  EVENT_STREAM,
  event,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../../src/testing.js'
import { type ChatService, startChatService } from '../../support/chat-service.js'
import { eventually } from '../../support/eventually.js'
import { firstBytes, openChat } from '../../support/raw-chat.js'

const CLIENTS = 300
const AT_ONCE = 60
const MAX_BYTES_PER_CLIENT = 2_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

let upstream: ScriptedUpstream
let service: ChatService

beforeAll(async () => {
  upstream = await startScriptedUpstream()
  service = await startChatService({ environment: { LLM_BASE_URL: upstream.url } })
})

afterAll(async () => {
  await service.close()
  await upstream.close()
})

describe(`${CLIENTS} clients that vanish in the middle of a stream`, () => {
  async function vanish(count: number): Promise<void> {
    const sockets = await Promise.all(
      Array.from({ length: count }, () => openChat(service.url, { stream: true })),
    )
    await Promise.all(sockets.map(firstBytes))
    for (const socket of sockets) socket.destroy()
    await eventually(() => upstream.busy).toBe(0)
  }

  /** One round of clients, and what is on the heap after it. The flag makes `gc` known to new contexts. */
  async function heapAfterRound(count: number): Promise<number> {
    for (let gone = 0; gone < count; gone += AT_ONCE) {
      // Scripting again makes the upstream forget its requests; they are not what is measured.
      upstream.script({ headers: EVENT_STREAM, pieces: [event(chunk('a'))], ends: 'hang' })
      await vanish(AT_ONCE)
      await eventually(() => service.app.model.status()[0]?.active).toBe(0)
      service.log.length = 0
    }
    // What a closed socket holds is let go some turns of the event loop later.
    await new Promise((done) => setTimeout(done, 100))
    collectGarbage()
    return process.memoryUsage().heapUsed
  }

  it('leave no connection and no memory behind', async () => {
    await heapAfterRound(CLIENTS / 5)
    const first = await heapAfterRound((CLIENTS * 2) / 5)
    const second = await heapAfterRound((CLIENTS * 2) / 5)
    expect(service.app.model.status()).toMatchObject([{ active: 0, waiting: 0 }])
    expect(upstream.busy).toBe(0)
    // Warm: what grows now grows for ever. A leak of a stream's objects would be kilobytes per client.
    expect(second - first).toBeLessThan(((CLIENTS * 2) / 5) * MAX_BYTES_PER_CLIENT)
    const answer = await service.post('/v1/chat/completions', { model: 'echo', messages: [] })
    expect(answer.status).toBe(200)
  })
})
