// What a session's turn without tools adds to a direct chat of the same service, over HTTP: as a service is that has just
// started, one request at a time when it is warm, and at 200 requests a second against an upstream that takes 5 ms.
// The service, the upstream and Redis are processes of their own.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openConnections } from '../chat/connections.mjs'
import { startServer } from '../chat/servers.mjs'
import { upstream } from '../chat/upstream.mjs'

const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 200)
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 4_000)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 6)
/** A session has this many turns, and a direct chat is asked so often in a row. */
const BLOCK = 20
const RATE = 200
const DELAY_MS = 5
const TOGETHER = 10
const self = fileURLToPath(import.meta.url)

if (process.argv[1] === self) upstream()

/** Prints how much longer half of all turns take than half of all chats, in memory and with Redis at a URL. */
export async function latencies(url) {
  const directory = writeCatalog()
  const servers = []
  const start = async (...parameters) => {
    servers.push(await startServer(...parameters))
    return servers.at(-1)
  }
  try {
    const up = await start('upstream', [self])
    for (const [name, environment] of [
      ['memory', {}],
      ['Redis', { STATE_URL: url, KEY_PREFIX: 'http' }],
    ]) {
      const { port } = await start('service', ['dist/main.js'], {
        ...{
          LLM_BASE_URL: `http://127.0.0.1:${up.port}/v1`,
          LLM_API_KEY: 'x',
          CATALOG_DIR: directory,
          MAX_LOOP_DELAY_MS: '0',
        },
        ...{ LOG_FILE: join(directory, 'service.log'), ...environment },
      })
      await measure(name, port, (ms) => fetch(`http://127.0.0.1:${up.port}/behave?delayMs=${ms}`))
    }
  } finally {
    for (const { child } of servers) child.kill()
    rmSync(directory, { recursive: true })
  }
}

async function measure(name, port, setDelay) {
  const service = await openService(port)
  const show = (how, { chat, turn }) =>
    console.log(
      `session turn over direct chat, ${name}, ${how}: p50 ${signed(quantile(turn, 0.5) - quantile(chat, 0.5))} ms` +
        ` (chat ${quantile(chat, 0.5).toFixed(2)}, turn ${quantile(turn, 0.5).toFixed(2)}, p99 ${signed(quantile(turn, 0.99) - quantile(chat, 0.99))})`,
    )
  await setDelay(0)
  show('just started', await oneAtATime(service, REQUESTS))
  await warmUp(service)
  show('warm, one at a time', await oneAtATime(service, 10 * REQUESTS))
  await setDelay(DELAY_MS)
  show(`${RATE}/s, upstream ${DELAY_MS} ms`, await openLoop(service))
  service.close()
}

/** Chats and turns of sessions of one service, each resolving with its time in milliseconds. */
async function openService(port) {
  const chats = await openConnections(
    { port, path: '/api/chat', headers: {}, body: { model: 'm', prompt: { userPrompt: 'hi' } } },
    TOGETHER,
  )
  const turns = await openConnections({ port, path: '', headers: {}, body: { input: 'hi' } }, TOGETHER)
  const idle = []
  return {
    async prepare() {
      const made = await fetch(`http://127.0.0.1:${port}/api/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"agent":"bench.talk"}',
      })
      const { id } = await made.json()
      idle.push({ path: `/api/sessions/${id}/turns`, left: BLOCK })
    },
    chat: () => timed(() => chats.request()),
    async turn() {
      if (idle.length === 0) await this.prepare()
      const session = idle.shift()
      const took = await timed(() => turns.request(session.path))
      session.left -= 1
      if (session.left > 0) idle.push(session)
      return took
    },
    close() {
      chats.close()
      turns.close()
    },
  }
}

async function timed(request) {
  const begin = performance.now()
  const answer = await request()
  const took = performance.now() - begin
  if (!answer.startsWith('HTTP/1.1 200')) throw new Error(answer)
  return took
}

async function oneAtATime(service, requests) {
  const times = { chat: [], turn: [] }
  for (let index = 0; index < requests; index += BLOCK)
    for (const kind of ['chat', 'turn']) {
      if (kind === 'turn') await service.prepare()
      for (let each = 0; each < BLOCK; each += 1) times[kind].push(await service[kind]())
    }
  return times
}

/** Until the compilers are done with the code, chats and turns alike. */
async function warmUp(service) {
  const end = performance.now() + WARM_UP_MS
  const work = async (kind) => {
    while (performance.now() < end) await service[kind]()
  }
  await Promise.all(Array.from({ length: TOGETHER }, (_, index) => work(index % 2 === 0 ? 'chat' : 'turn')))
}

/** As many chats as turns, halfway between each other, come what may. */
async function openLoop(service) {
  const times = { chat: [], turn: [] }
  const pending = []
  for (let index = 0; index < RATE; index += 1) await service.prepare()
  const begin = performance.now()
  for (let index = 0; index < 2 * RATE * SECONDS; index += 1) {
    const due = begin + (index * 1_000) / (2 * RATE)
    while (performance.now() < due) await new Promise((done) => setTimeout(done, due - performance.now()))
    const kind = index % 2 === 0 ? 'chat' : 'turn'
    pending.push(service[kind]().then((took) => times[kind].push(took)))
  }
  await Promise.all(pending)
  return times
}

function writeCatalog() {
  const directory = mkdtempSync(join(tmpdir(), 'bench-agents-'))
  mkdirSync(join(directory, 'agents/bench'), { recursive: true })
  writeFileSync(
    join(directory, 'agents/bench/talk.json'),
    JSON.stringify({ instructions: 'You are helpful.', model: 'm' }),
  )
  return directory
}

function quantile(values, q) {
  return values.toSorted((a, b) => a - b)[Math.floor(q * (values.length - 1))]
}

function signed(ms) {
  return `${ms >= 0 ? '+' : ''}${ms.toFixed(2)}`
}
