import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { createCatalogDirectory } from '../support/catalog-directory.js'
import { ask } from '../support/replicas.js'
import { type ServiceProcess, startService } from '../support/service-process.js'
import type { Json } from '../support/test-app.js'
import { waitUntil } from '../support/wait-until.js'

/** Two workers start in it on a machine that is busy. */
const PATIENCE_MS = 100_000
const STANDS = join(import.meta.dirname, '../support/stand-still.mjs')
const catalog = createCatalogDirectory({ 'agents/helper.json': { model: 'held' } })

/** What the model was asked and has not answered yet. */
const asked: (() => void)[] = []
const model = createServer((request, response) => {
  request.resume()
  asked.push(() => {
    if (response.headersSent) return
    const message = { role: 'assistant', content: 'here again' }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ id: 'c', model: 'held', choices: [{ index: 0, message, finish_reason: 'stop' }] }),
    )
  })
})

let service: ServiceProcess
beforeAll(async () => {
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
  service = await startService(
    {
      CATALOG_DIR: catalog.path,
      WORKERS: '2',
      MAX_STALL_MS: '3000',
      STATE_URL: inject('redisUrl'),
      KEY_PREFIX: `freezes-${process.pid}`,
      STATE_LEASE_MS: '1000',
      LLM_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
      LLM_TIMEOUT_MS: '120000',
    },
    STANDS,
  )
})
afterAll(async () => {
  for (const answer of asked) answer()
  await service.stop()
  model.close()
  catalog.dispose()
})

async function workers(): Promise<readonly number[]> {
  const status: Json = await ask(service.url, 'GET', '/status').catch(() => undefined)
  return (status?.body.workers ?? []).map(({ pid }: { pid: number }) => pid)
}

it('a turn whose worker stands still continues in another one, and the session goes on', async () => {
  await waitUntil(async () => (await workers()).length === 2)
  const first = await workers()
  const { body } = await ask(service.url, 'POST', '/sessions', { agent: 'helper' })
  const turns = `/sessions/${body.id}/turns`
  const sent = ask(service.url, 'POST', turns, { input: 'are you there?' }).catch(() => undefined)
  await waitUntil(() => asked.length === 1)
  // Whichever has the turn: one after the other stands still, is killed and replaced.
  for (const pid of first) {
    process.kill(pid, 'SIGUSR2')
    await waitUntil(
      async () => {
        const now = await workers()
        return now.length === 2 && !now.includes(pid)
      },
      'another worker in its place',
      PATIENCE_MS,
    )
  }
  await waitUntil(() => {
    asked.at(-1)?.()
    return ask(service.url, 'GET', `${turns}/1`)
      .then(({ body: turn }) => turn.status === 'completed')
      .catch(() => false)
  })
  const { body: turn } = await ask(service.url, 'GET', `${turns}/1`)
  expect(JSON.stringify(turn).match(/here again/g)?.length ?? 0).toBeGreaterThan(0)
  // The session takes the next turn, and has the one before.
  const next = ask(service.url, 'POST', turns, { input: 'and now?' })
  await waitUntil(async () => {
    asked.at(-1)?.()
    return (await ask(service.url, 'GET', `${turns}/2`)).body.status === 'completed'
  })
  expect((await next).status).toBe(200)
  await sent
}, 400_000)
