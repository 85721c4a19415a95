import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RedisServer, startRedisServer } from '../support/redis-server.js'
import { type ServiceProcess, startService } from '../support/service-process.js'
import { waitUntil } from '../support/wait-until.js'

/** How long Redis stays away while renders go on; longer by hand, a minute for instance. */
const OUTAGE_MS = Number(process.env['TEST_OUTAGE_MS'] ?? 1_500)
/** So that the outage is seen, however slow the machine is. */
const RENDERS_WHILE_AWAY = 20

let server: RedisServer
let redis: Redis
let service: ServiceProcess

beforeAll(async () => {
  server = await startRedisServer()
  redis = new Redis(server.url)
  redis.on('error', () => {})
  await redis.mset(
    'shenma:environs:ledger:total',
    '12345678901234567890',
    'shenma:environs:ledger:largest',
    '9223372036854775807',
    'shenma:environs:team:language',
    '"Go"',
    'shenma:templates:p:numbers',
    JSON.stringify({
      userPrompt: '{{.ledger.total}} {{.ledger.largest}} {{.variables.id}} {{printf "%d" .variables.id}}',
    }),
    'shenma:templates:p:language',
    JSON.stringify({ messages: [{ role: 'user', content: 'In {{.team.language}}.' }] }),
  )
  service = await startService({ REDIS_URL: server.url, RESYNC_INTERVAL_MS: '5000' })
})

afterAll(async () => {
  await service.stop()
  redis.disconnect()
  await server.stop()
})

async function render(id: string, body = '{}'): Promise<{ status: number; text: string }> {
  const response = await fetch(`${service.url}/api/render/prompts/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return { status: response.status, text: await response.text() }
}

const renders = async (id: string, part: string) => (await render(id)).text.includes(part)

const metrics = async () => (await fetch(`${service.url}/metrics`)).text()

describe('the service on Redis', { timeout: OUTAGE_MS + 30_000 }, () => {
  it('keeps the digits of large integers, from a key and from a request, to the prompt', async () => {
    const { status, text } = await render('p.numbers', '{"variables":{"id":90071992547409931234567890}}')
    expect(status).toBe(200)
    expect(JSON.parse(text).rendered_prompt).toBe(
      '12345678901234567890 9223372036854775807 90071992547409931234567890 90071992547409931234567890',
    )
  })

  it('renders what a key says now, without a restart', async () => {
    expect(await renders('p.language', 'In Go.')).toBe(true)
    await redis.set('shenma:environs:team:language', '"Rust"')
    await waitUntil(() => renders('p.language', 'In Rust.'), 'the new value')
    await redis.set('shenma:templates:p:language', '{"userPrompt":"Only {{.team.language}}."}')
    await waitUntil(() => renders('p.language', 'Only Rust.'), 'the new template')
    await redis.set('shenma:templates:p:language', '{"userPrompt":"{{broken"}')
    await waitUntil(
      async () => (await (await fetch(`${service.url}/api/status`)).text()).includes('unclosed action'),
      'the diagnostic',
    )
    expect(await renders('p.language', 'Only Rust.')).toBe(true)
    await redis.del('shenma:templates:p:language')
    await waitUntil(async () => (await render('p.language')).status === 404, 'the deletion')
  })

  it('fails no render while Redis is away, says so, and follows it when it is back', async () => {
    await redis.set('shenma:templates:p:steady', '{"userPrompt":"steady {{.team.language}}"}')
    await waitUntil(() => renders('p.steady', 'steady'), 'the prompt')
    const failures: unknown[] = []
    let count = 0
    let over = false
    const load = (async () => {
      while (!over) {
        const answer = await render('p.steady').catch((error: unknown) => ({
          status: 0,
          text: String(error),
        }))
        count += 1
        if (answer.status !== 200) failures.push(answer)
        await sleep(10)
      }
    })()
    expect(await metrics()).toContain('registry_stale 0')
    expect(await metrics()).toContain('registry_store_mode{mode="tracking"} 1')
    await server.kill()
    await waitUntil(async () => (await (await fetch(`${service.url}/readyz`)).text()).includes('degraded'))
    expect(await metrics()).toContain('registry_stale 1')
    const before = count
    await sleep(OUTAGE_MS)
    await waitUntil(() => count >= before + RENDERS_WHILE_AWAY, 'renders while Redis is away', 30_000)
    const again = await startRedisServer({ port: server.port })
    const writer = new Redis(again.url)
    await writer.mset(
      'shenma:templates:p:steady',
      '{"userPrompt":"steady again"}',
      'shenma:environs:team:language',
      '"C"',
    )
    await waitUntil(() => renders('p.steady', 'steady again'), 'the catalog of the new server')
    over = true
    await load
    writer.disconnect()
    await again.stop()
    expect(failures).toEqual([])
  })
})
