// The chat path beside its rivals: the scripted upstream called directly, a bare undici relay and, when PORTKEY_DIR
// names a folder with @portkey-ai/gateway installed, that gateway. Every server is a process of its own and warm:
// compiled code is measured, for all alike. Rounds are interleaved and every figure is paired with direct calls of
// the same round. Latency is measured in three placements of the processes on the cores, for it depends on them;
// throughput and processor time with the server under test alone on one core. The service has a key with a name, its
// metrics and its JSON log. BENCH_ROUNDS, BENCH_SECONDS and BENCH_ONLY (cost, single, open, throughput, streams) shorten
// it; OTHER_BUILD names the folder of another build whose processor time is measured beside this one's, BENCH_FLAGS what
// Node is given.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openConnections, readStream } from './chat/connections.mjs'
import { compareCosts } from './chat/cost.mjs'
import { relay } from './chat/relay.mjs'
import { canPin, pin, startServer } from './chat/servers.mjs'
import { upstream } from './chat/upstream.mjs'
import { cpuMicros } from './cpu-micros.mjs'
import { freePort } from './free-port.mjs'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
const ONLY = process.env.BENCH_ONLY
const OTHER_BUILD = process.env.OTHER_BUILD
const CONNECTIONS = 50
const STREAMS = 50
const WARM_UP_MS = 2_000
/** Requests to one server in a row. */
const BLOCK = 50
const STREAM_WARM_UPS = 100
/** Of streams, in each round. */
const BURSTS = 4
const RATE = 200
const DELAY_MS = 5
/** What takes longer than this beyond its own time never ends. */
const LONGEST_MS = 10_000
/** The service's. */
const KEY = 'aps_0123456789abcdefghijklmnopqrstuvwxyz'
const self = fileURLToPath(import.meta.url)
const run = promisify(execFile)

const TOGETHER = { name: 'all on one core', load: '0', upstream: '0', server: '0' }
const APART = { name: 'the server on a core of its own', load: '0', upstream: '0', server: '1' }
const FREE = { name: 'not pinned', load: '0,1', upstream: '0,1', server: '0,1' }
const PLACEMENTS = canPin ? [APART, TOGETHER, FREE] : [FREE]

const MESSAGES = [
  { role: 'user', content: 'Is this function safe when two clients write at once? '.repeat(10) },
]

const [role, argument] = process.argv.slice(2)
if (role === 'upstream') upstream()
else if (role === 'relay') relay(argument)
else await main()

async function main() {
  const directory = writeCatalog()
  const servers = []
  const started = async (...parameters) => {
    servers.push(await startServer(...parameters))
    return servers.at(-1)
  }
  try {
    const targets = await startTargets(started, directory)
    for (const each of Object.values(targets)) await check(each)
    const { version } = process
    const load = loadavg()[0].toFixed(1)
    console.log(`Node ${version}, ${cpus().length} × ${cpus()[0].model}, load ${load}, ${ROUNDS} rounds\n`)
    if (wanted('cost')) {
      place(APART, servers)
      await compareProcessorTime(targets)
    }
    if (wanted('single') || wanted('open')) for (const each of Object.values(targets)) await warmUp(each)
    for (const placement of PLACEMENTS) {
      place(placement, servers)
      if (wanted('single')) await compareSingle(targets, placement)
      if (wanted('open')) await compareOpenLoop(targets, placement)
    }
    place(APART, servers)
    if (wanted('throughput')) await compareThroughput(targets)
    if (!wanted('streams')) return
    await warmUpStreams(targets)
    for (const placement of PLACEMENTS) {
      place(placement, servers)
      await compareFirstChunks(targets, placement)
    }
    place(APART, servers)
    await compareChunkRates(targets)
  } finally {
    for (const { child } of servers) child.kill()
    rmSync(dirname(directory), { recursive: true })
  }
}

async function startTargets(started, directory) {
  const up = await started('upstream', [self, 'upstream'])
  const base = `http://127.0.0.1:${up.port}/v1`
  const relayServer = await started('relay', [self, 'relay', base])
  const flags = (process.env.BENCH_FLAGS ?? '').split(' ').filter(Boolean)
  const environment = {
    KEYS_FILE: writeKeys(directory),
    LOG_FORMAT: 'json',
    // The machine may be busy: what is refused says nothing about the price.
    MAX_LOOP_DELAY_MS: '60000',
    LLM_BASE_URL: base,
    LLM_API_KEY: 'x',
    CATALOG_DIR: directory,
  }
  const build = (name, folder) =>
    started(name, [...flags, resolve(folder, 'dist/main.js')], {
      ...environment,
      LOG_FILE: join(directory, `../${name}.log`),
    })
  const service = await build('service', '.')
  const completion = { model: 'm', messages: MESSAGES }
  const key = { authorization: `Bearer ${KEY}` }
  const targets = {
    direct: target(up, '/v1/chat/completions', completion),
    relay: target(relayServer, '/v1/chat/completions', completion),
    'service, prompt': target(
      service,
      '/api/chat/prompts/bench.review',
      { model: 'm', variables: { question: MESSAGES[0].content } },
      key,
    ),
    'service, /v1': target(service, '/v1/chat/completions', completion, key),
  }
  if (OTHER_BUILD !== undefined && wanted('cost'))
    targets.other = target(await build('other', OTHER_BUILD), '/v1/chat/completions', completion, key)
  const portkey = await startPortkey(started)
  if (portkey === undefined) return targets
  const headers = {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': base,
    authorization: 'Bearer x',
  }
  return { ...targets, portkey: target(portkey, '/v1/chat/completions', completion, headers) }
}

async function startPortkey(started) {
  const directory = process.env.PORTKEY_DIR
  if (!directory) return undefined
  const script = join(directory, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  if (!existsSync(script)) throw new Error(`PORTKEY_DIR: ${script} does not exist`)
  const port = await freePort()
  const environment = { TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' }
  return started('portkey', [script, `--port=${port}`, '--headless'], environment, port)
}

function wanted(name) {
  return ONLY === undefined || ONLY.split(',').includes(name)
}

function place({ load, upstream: cores, server }, servers) {
  pin(process.pid, load)
  for (const { name, child } of servers) pin(child.pid, name === 'upstream' ? cores : server)
}

async function behave(targets, behaviour) {
  const url = `http://127.0.0.1:${targets.direct.port}/behave?${new URLSearchParams(behaviour)}`
  await fetch(url, { signal: AbortSignal.timeout(LONGEST_MS) })
}

/** What a request or a chunk costs, beside the relay. */
async function compareProcessorTime(targets) {
  const compared = { relay: targets.relay, service: targets['service, /v1'], other: targets.other }
  const costs = await compareCosts(compared, {
    behave: (behaviour) => behave(targets, behaviour),
    rounds: 3 * ROUNDS,
    only: process.env.BENCH_ROW,
  })
  const other = targets.other === undefined ? [] : ['other, µs', '× other', 'middle half']
  const head = ['relay, µs', 'service, µs', '× relay', 'middle half', ...other, 'goal']
  print(
    'Processor time of an answer, upstream answers at once',
    ['body', 'connections', ...head],
    costs.answers,
  )
  print('Processor time of a chunk', ['chunks', 'streams', ...head], costs.streams)
}

/** Until the compilers are done with the code: how a server starts is another question. */
async function warmUp(each) {
  const connections = await openConnections(each, 10)
  const begin = performance.now()
  const work = async () => {
    while (performance.now() < begin + WARM_UP_MS) await connections.request()
  }
  await Promise.all(Array.from({ length: 10 }, work))
  connections.close()
}

/**
 * One request at a time, in short blocks for each server in turn: request by request, each would find the code and
 * data of the others in the processor's cache.
 */
async function compareSingle(targets, placement) {
  await behave(targets, { delayMs: 0 })
  const names = Object.keys(targets)
  const connections = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await openConnections(targets[name], 1)])),
  )
  const times = Object.fromEntries(names.map((name) => [name, []]))
  for (let block = -4; block < 8 * ROUNDS; block += 1) {
    for (const name of names) {
      for (let index = 0; index < BLOCK; index += 1) {
        const begin = performance.now()
        await connections[name].request()
        if (block >= 0) times[name].push(performance.now() - begin)
      }
    }
  }
  for (const each of Object.values(connections)) each.close()
  const rows = names.map((name) => [
    name,
    ms(quantile(times[name], 0.5)),
    ms(quantile(times[name], 0.99)),
    ms(quantile(times[name], 0.5) - quantile(times.direct, 0.5)),
  ])
  const head = ['', 'p50 ms', 'p99 ms', 'added p50 ms']
  print(`One request at a time, upstream answers at once, ${placement.name}`, head, rows)
}

/** 200 requests per second, come what may, against an upstream that takes 5 ms; direct calls at the same rate between them. */
async function compareOpenLoop(targets, placement) {
  await behave(targets, { delayMs: DELAY_MS })
  const rows = []
  const late = []
  for (const [name, each] of Object.entries(targets)) {
    if (name === 'direct') continue
    const direct = []
    const through = []
    for (let round = 0; round < ROUNDS; round += 1)
      await openLoop([targets.direct, direct], [each, through], late)
    const added = (q) => ms(quantile(through, q) - quantile(direct, q))
    rows.push([name, ms(quantile(direct, 0.5)), ms(quantile(through, 0.5)), added(0.5), added(0.99)])
  }
  const head = ['', 'direct p50 ms', 'p50 ms', 'added p50 ms', 'added p99 ms']
  print(
    `${RATE} requests per second, open loop, upstream takes ${DELAY_MS} ms, ${placement.name}`,
    head,
    rows,
  )
  const [typically, atMost] = [ms(quantile(late, 0.5)), ms(quantile(late, 0.99))]
  console.log(
    `Requests went out ${typically} ms after their time (p50; p99 ${atMost}), and are measured from then.\n`,
  )
}

async function openLoop(direct, through, late) {
  const connections = [await openConnections(direct[0], 20), await openConnections(through[0], 20)]
  const times = [direct[1], through[1]]
  const pending = []
  const begin = performance.now()
  for (let index = 0; index < 2 * RATE * SECONDS; index += 1) {
    // Between two direct ones, so that neither waits for the other.
    const due = begin + (index * 1000) / (2 * RATE)
    while (performance.now() < due) await new Promise((done) => setTimeout(done, due - performance.now()))
    late.push(performance.now() - due)
    pending.push(timed(connections[index % 2], times[index % 2]))
  }
  await Promise.all(pending)
  for (const each of connections) each.close()
}

async function timed(connections, times) {
  const begin = performance.now()
  await connections.request()
  times.push(performance.now() - begin)
}

/** As fast as it goes over 50 connections; beside it, what a request costs the server's own processor. */
async function compareThroughput(targets) {
  await behave(targets, { delayMs: 0 })
  const names = Object.keys(targets)
  const rounds = []
  for (const name of names) await wrk(targets[name], 1)
  for (let round = 0; round < ROUNDS; round += 1) {
    const row = {}
    for (const name of names) row[name] = await wrk(targets[name], SECONDS)
    rounds.push(row)
  }
  const rows = names.map((name) => [
    name,
    Math.round(median(rounds.map((row) => row[name].rate))),
    median(rounds.map((row) => row[name].rate / row.direct.rate)).toFixed(3),
    Math.round(median(rounds.map((row) => row[name].cpuMicros))),
    median(rounds.map((row) => row.direct.cpuMicros / row[name].cpuMicros)).toFixed(2),
  ])
  const head = ['', 'requests/s', '× direct', 'CPU µs per request', 'per CPU second, × direct']
  print(`Maximum throughput, ${CONNECTIONS} connections, upstream answers at once`, head, rows)
}

/** 50 streams that begin together, each on a new connection: the time until the first chunk of each. */
async function compareFirstChunks(targets, placement) {
  await behave(targets, { chunks: 5, paceMs: 20 })
  const names = Object.keys(targets)
  const first = Object.fromEntries(names.map((name) => [name, []]))
  for (let burst = 0; burst < BURSTS * ROUNDS; burst += 1)
    for (const name of names)
      first[name].push(...(await streams(targets[name], 5)).map(({ firstMs }) => firstMs))
  const rows = names.map((name) => [
    name,
    ms(quantile(first[name], 0.5)),
    ms(quantile(first[name], 0.9)),
    ms(quantile(first[name], 0.5) - quantile(first.direct, 0.5)),
  ])
  const head = ['', 'first chunk p50 ms', 'p90 ms', 'added p50 ms']
  print(`${STREAMS} streams that begin together, ${placement.name}`, head, rows)
}

/** 50 streams as fast as they go: chunks per second. */
async function compareChunkRates(targets) {
  await behave(targets, { chunks: 2000, paceMs: 0 })
  const names = Object.keys(targets)
  const rates = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const row = {}
    for (const name of names) {
      // A server called directly shares the first core with the upstream it is; the reader takes the other.
      pin(process.pid, name === 'direct' ? '1' : '0')
      const begin = performance.now()
      await streams(targets[name], 2000)
      row[name] = (STREAMS * 2000 * 1000) / (performance.now() - begin)
    }
    rates.push(row)
  }
  const rows = names.map((name) => [
    name,
    Math.round(median(rates.map((row) => row[name]))),
    median(rates.map((row) => row[name] / row.direct)).toFixed(2),
    median(rates.map((row) => row[name] / row.relay)).toFixed(2),
  ])
  print(`${STREAMS} streams as fast as they go`, ['', 'chunks/s', '× direct', '× relay'], rows)
}

async function warmUpStreams(targets) {
  await behave(targets, { chunks: 20, paceMs: 0 })
  for (let index = 0; index < STREAM_WARM_UPS; index += 1)
    for (const each of Object.values(targets)) await streams(each, 20)
}

async function streams(each, chunks) {
  const results = await Promise.all(Array.from({ length: STREAMS }, () => readStream(each)))
  for (const { events } of results)
    if (events < chunks) throw new Error(`${each.name}: ${events} of ${chunks} chunks`)
  return results
}

async function wrk(each, seconds) {
  const script = join(tmpdir(), `chat-bench-${process.pid}.lua`)
  const headers = Object.entries({ 'content-type': 'application/json', ...each.headers })
    .map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`)
    .join('\n')
  writeFileSync(
    script,
    `wrk.method = "POST"\nwrk.body = ${JSON.stringify(JSON.stringify(each.body))}\n${headers}\n`,
  )
  const url = `http://127.0.0.1:${each.port}${each.path}`
  // A server called directly shares the first core with the upstream it is; the load goes to the other.
  const pinned = canPin ? ['taskset', '-c', each.name === 'upstream' ? '1' : '0'] : []
  const load = ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, url]
  const [command, ...parameters] = [...pinned, ...load]
  const before = cpuMicros(each.pid)
  const { stdout } = await run(command, parameters, { timeout: seconds * 1000 + LONGEST_MS })
  const used = cpuMicros(each.pid) - before
  rmSync(script)
  if (/Non-2xx/.test(stdout)) throw new Error(`${each.name} fails under load:\n${stdout}`)
  const count = Number(/(\d+) requests in/.exec(stdout)[1])
  return { rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1]), cpuMicros: used / count }
}

function target({ name, port, child }, path, body, headers = {}) {
  return { name, port, pid: child.pid, path, body, headers }
}

async function check(each) {
  const connections = await openConnections(each, 1)
  const answer = await connections.request()
  connections.close()
  if (!answer.includes('"choices"')) throw new Error(`${each.name} answers ${answer.slice(0, 500)}`)
}

function writeCatalog() {
  const directory = join(mkdtempSync(join(tmpdir(), 'chat-bench-')), 'catalog')
  mkdirSync(join(directory, 'templates/bench'), { recursive: true })
  const prompt = {
    userPrompt: 'Review this.\n{{.variables.question}}\n',
    parameters: [{ name: 'question', type: 'string' }],
  }
  writeFileSync(join(directory, 'templates/bench/review.json'), JSON.stringify(prompt))
  return directory
}

function writeKeys(directory) {
  const hash = `sha256:${createHash('sha256').update(KEY).digest('hex')}`
  const path = join(directory, '../keys.json')
  writeFileSync(path, JSON.stringify({ keys: [{ name: 'bench', hash, scopes: ['chat', 'read'] }] }))
  return path
}

function print(title, head, rows) {
  console.log(`### ${title}\n\n| ${head.join(' | ')} |\n|${head.map(() => '---').join('|')}|`)
  for (const row of rows) console.log(`| ${row.join(' | ')} |`)
  console.log('')
}

function quantile(values, q) {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]
}

function median(values) {
  return quantile(values, 0.5)
}

function ms(value) {
  return value.toFixed(3)
}
