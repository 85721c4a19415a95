// Which source files one stored turn runs through: `npm run --silent build && node scripts/turn-files.mjs`. A turn of a
// session with one call of a tool, in Redis, counted by V8's coverage of the unbundled build; a file counts when one of
// its functions ran, and how many did stands before its name. Starts a Redis of its own, unless REDIS_URL names one. Exits
// with 1 above the ceiling.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../test/bench/free-port.mjs'

/** How many there should be at most: each is one more to read for who follows a turn. */
const GOAL = 45
/** How many there may be: it may only be lowered, but where one file was two concepts. */
const CEILING = 54
const LEASE_MS = 60_000
/** So many turns are looked at: what did not run in each is a timer's, or another process', and not of the turn. */
const TURNS = 8
/** What a turn leaves to timers is done by then: the next one is not looked at before. */
const SETTLED_MS = 300
const dist = resolve(import.meta.dirname, '../dist')
const load = (path) => import(join(dist, path))

const redis = await startRedis()
const store = (await load('state/redis-state.js')).createRedisState({
  url: redis.url,
  keyPrefix: `turn-files-${process.pid}`,
  leaseMs: LEASE_MS,
  ttlMs: LEASE_MS,
  logger: (await load('util/telemetry/logger.js')).silentLogger(),
})
await store.open()
const runTurn = await prepareTurn(store)
// What is done once for a process is not part of a turn.
for (let turn = 0; turn < 3; turn += 1) await runTurn()
let ran = await filesOf(runTurn)
for (let turn = 1; turn < TURNS; turn += 1) {
  const again = new Map((await filesOf(runTurn)).map(({ file, functions }) => [file, functions]))
  ran = ran
    .filter(({ file }) => again.has(file))
    .map(({ file, functions }) => ({ file, functions: Math.min(functions, again.get(file)) }))
}
await store.close()
redis.stop()
const files = ran.map(({ file }) => file)
for (const { file, functions } of ran) console.log(`${String(functions).padStart(3)} ${file}`)
const folders = new Map()
for (const folder of files.map(folderOf)) folders.set(folder, (folders.get(folder) ?? 0) + 1)
console.log([...folders].map(([folder, count]) => `${folder} ${count}`).join(', '))
console.log(`${files.length} files; at most ${CEILING}, goal ${GOAL}`)
process.exitCode = files.length > CEILING ? 1 : 0

/** The files whose functions ran, and how many did, in the order of their names. */
async function filesOf(work) {
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const own = result.filter(({ url }) => url.startsWith('file://') && fileURLToPath(url).startsWith(dist))
  const ran = own.map(({ url, functions }) => ({
    file: relative(dist, fileURLToPath(url)),
    functions: functions.filter(({ ranges: [whole] }) => whole.count > 0).length,
  }))
  return ran.filter(({ functions }) => functions > 0).sort((one, other) => (one.file < other.file ? -1 : 1))
}

async function prepareTurn(store) {
  const [{ Sessions }, { HookExecutor }, { HookedModel }, { PLAIN_AGENT }] = await Promise.all(
    [
      'agents/sessions/sessions.js',
      'agents/hook-executor.js',
      'agents/hooked-model.js',
      'agents/plain-agent.js',
    ].map(load),
  )
  const [{ createToolbox }, { localTool }, { systemClock }] = await Promise.all(
    ['tools/toolbox.js', 'tools/local-tool.js', 'util/time/clock.js'].map(load),
  )
  const add = localTool({ name: 'add', execute: ({ a, b }) => a + b })
  const agent = { ...PLAIN_AGENT, id: 'adder', revision: 'r', model: 'm', toolbox: createToolbox([add]) }
  const hooks = new HookExecutor()
  const sessions = new Sessions({
    store,
    agents: { prepare: async () => agent },
    model: HookedModel.of({ complete: answer }, hooks),
    hooks,
    clock: systemClock,
    toolTimeoutMs: LEASE_MS,
    leaseMs: LEASE_MS,
    observer: { event() {}, committed() {}, ended() {}, decided() {} },
  })
  const call = { requestId: 'r', signal: new AbortController().signal }
  const { id } = await sessions.create({ owner: '-', agent: 'adder', variables: {} }, call)
  const input = { content: 'add 2 and 3', stream: false, limits: {} }
  return async () => {
    const started = await sessions.turns.start({ kind: 'session', owner: '-', id }, { input, call })
    const { kind } = await started.outcome()
    if (kind !== 'completed') throw new Error(kind)
  }
}

/** A model without layers: asks for the tool after a user, and answers after a result. */
async function answer({ messages }) {
  const call = { id: 'c', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":3}' } }
  const message =
    messages.at(-1).role === 'user'
      ? { role: 'assistant', content: null, tool_calls: [call] }
      : { role: 'assistant', content: '5' }
  const body = { id: 'x', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] }
  const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 }
  return { body, usage, report: { upstream: 'u', model: 'm', attempts: 1, upstreamMs: 0 } }
}

function folderOf(file) {
  return file
    .split('/')
    .slice(0, 2)
    .join('/')
    .replace(/\/[^/]*\.js$/, '')
}

async function startRedis() {
  if (process.env.REDIS_URL !== undefined) return { url: process.env.REDIS_URL, stop() {} }
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'turn-files-'))
  const server = spawn('redis-server', ['--port', String(port), '--save', '', '--dir', directory])
  for await (const [text] of [await once(server.stdout, 'data')]) if (String(text).includes('Ready')) break
  return {
    url: `redis://127.0.0.1:${port}`,
    stop() {
      server.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
