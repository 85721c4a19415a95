// The catalog over MCP, through the official client: a write in Redis to the client that listens, prompts/get beside the
// same render over HTTP, and a page of 100 of 10,000 prompts. Times are of this machine, as it is.
//
//   npm run bench:mcp
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { startServiceOverRedis } from './service-over-redis.mjs'

const WRITES = 40
/** Calls of a client that has just begun, and of one that has been at it for a while: both are told. */
const FIRST = [100, 300]
const LATER = [1_000, 3_000]
const BURST = 500

const service = await startServiceOverRedis({
  'templates:p:hello': {
    userPrompt: 'Hello {{.variables.name}}!',
    parameters: { type: 'object', properties: { name: { type: 'string' } } },
  },
})
const { redis, url } = service
let told = 0
const client = new Client(
  { name: 'bench', version: '1.0.0' },
  {
    capabilities: {},
    versionNegotiation: { mode: 'auto' },
    listChanged: { prompts: { autoRefresh: false, debounceMs: 0, onChanged: () => (told += 1) } },
  },
)
try {
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)))
  report('SET → client told', await writes())
  const rest = []
  const get = []
  for (let call = 0; call < LATER[1]; call += 1) {
    rest.push(await timed(renderOverHttp))
    get.push(await timed(() => client.getPrompt({ name: 'p.hello', arguments: { name: 'Ada' } })))
  }
  for (const calls of [FIRST, LATER]) {
    report(`render over HTTP, calls ${calls.join(' to ')}`, rest.slice(...calls))
    report(`prompts/get, calls ${calls.join(' to ')}`, get.slice(...calls))
  }
  report('page of 100', (await pages()).slice(10))
  console.log(`${BURST} writes in ${await burst()}`)
} finally {
  await client.close()
  await service.stop()
}

async function writes() {
  const times = []
  for (let write = 0; write < WRITES; write += 1) {
    const before = told
    times.push(
      await timed(async () => {
        await redis.set('shenma:templates:p:live', JSON.stringify({ userPrompt: `Text ${write}` }))
        while (told === before) await sleep(1)
      }),
    )
    await sleep(200)
  }
  return times
}

async function pages() {
  const times = []
  let cursor
  do {
    times.push(
      await timed(async () => {
        const params = cursor === undefined ? {} : { cursor }
        cursor = (await client.request({ method: 'prompts/list', params })).nextCursor
      }),
    )
  } while (cursor !== undefined)
  return times
}

async function burst() {
  const before = told
  const startedAt = performance.now()
  for (let write = 0; write < BURST; write += 1) {
    await redis.set('shenma:templates:p:live', JSON.stringify({ userPrompt: `Burst ${write}` }))
    await sleep(2)
  }
  const seconds = (performance.now() - startedAt) / 1000
  await sleep(300)
  return `${seconds.toFixed(1)} s: ${told - before} notices, ${((told - before) / seconds).toFixed(1)} a second`
}

async function renderOverHttp() {
  const body = JSON.stringify({ variables: { name: 'Ada' } })
  const headers = { 'content-type': 'application/json' }
  await (await fetch(`${url}/api/render/prompts/p.hello`, { method: 'POST', headers, body })).json()
}

async function timed(work) {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function report(name, times) {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(2)
  console.log(`${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms`)
}
