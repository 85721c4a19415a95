// The chat path beside its rivals: the scripted upstream called directly, a bare undici relay and, when PORTKEY_DIR
// names a folder with @portkey-ai/gateway installed, that gateway. Every server is a process of its own; where taskset
// exists the upstream shares a core with the load and the server under test has the other. Rounds are interleaved and
// every figure is paired with direct calls of the same round. BENCH_ROUNDS, BENCH_SECONDS and BENCH_ONLY shorten it.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { relay } from './chat/relay.mjs'
import { upstream } from './chat/upstream.mjs'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
const ONLY = process.env.BENCH_ONLY
const CONNECTIONS = 50
const STREAMS = 50
const self = fileURLToPath(import.meta.url)
const root = resolve(self, '../../..')
const run = promisify(execFile)
const canPin = cpus().length > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0

const MESSAGES = [
  { role: 'user', content: 'Is this function safe when two clients write at once? '.repeat(10) },
]

const [role, argument] = process.argv.slice(2)
if (role === 'upstream') upstream()
else if (role === 'relay') relay(argument)
else await main()

async function main() {
  if (canPin) spawnSync('taskset', ['-cp', '0', String(process.pid)])
  const catalog = writeCatalog()
  const up = await start('upstream', 0, [self, 'upstream'])
  const servers = [up]
  const started = async (...parameters) => {
    servers.push(await start(...parameters))
    return servers.at(-1)
  }
  try {
    const base = `http://127.0.0.1:${up.port}/v1`
    const relayServer = await started('relay', 1, [self, 'relay', base])
    const service = await started('service', 1, ['dist/main.js'], {
      LOG_FILE: join(catalog, 'service.log'),
      LLM_BASE_URL: base,
      LLM_API_KEY: 'x',
      CATALOG_DIR: catalog,
    })
    const targets = {
      direct: target(up, '/v1/chat/completions', { model: 'm', messages: MESSAGES }),
      relay: target(relayServer, '/v1/chat/completions', { model: 'm', messages: MESSAGES }),
      'service, prompt': target(service, '/api/chat/prompts/bench.review', {
        model: 'm',
        variables: { question: MESSAGES[0].content },
      }),
      'service, /v1': target(service, '/v1/chat/completions', { model: 'm', messages: MESSAGES }),
    }
    const portkey = await startPortkey(started)
    if (portkey) {
      targets.portkey = target(
        portkey,
        '/v1/chat/completions',
        { model: 'm', messages: MESSAGES },
        {
          'x-portkey-provider': 'openai',
          'x-portkey-custom-host': base,
          authorization: 'Bearer x',
        },
      )
    }
    for (const each of Object.values(targets)) await check(each)
    const { version } = process
    console.log(
      `Node ${version}, ${cpus().length} × ${cpus()[0].model}, ${canPin ? 'pinned' : 'not pinned'}, ${ROUNDS} rounds\n`,
    )
    if (wanted('single')) await compareSingle(targets)
    if (wanted('open')) await compareOpenLoop(targets)
    if (wanted('throughput')) await compareThroughput(targets)
    if (wanted('streams')) await compareStreams(targets)
  } finally {
    for (const { child } of servers) child.kill()
    rmSync(catalog, { recursive: true })
  }
}

function wanted(name) {
  return ONLY === undefined || ONLY.split(',').includes(name)
}

/** One request at a time: every server in turn, request by request. */
async function compareSingle(targets) {
  const sockets = await openSockets(targets)
  const names = Object.keys(targets)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  for (let index = -200; index < 1500 * (ROUNDS / 5); index += 1) {
    for (const name of names) {
      const begin = performance.now()
      await sockets[name].request(0)
      if (index >= 0) times[name].push(performance.now() - begin)
    }
  }
  closeSockets(sockets)
  const rows = names.map((name) => [
    name,
    ms(quantile(times[name], 0.5)),
    ms(quantile(times[name], 0.99)),
    ms(quantile(times[name], 0.5) - quantile(times.direct, 0.5)),
  ])
  print('One request at a time, upstream answers at once', ['', 'p50 ms', 'p99 ms', 'added p50 ms'], rows)
}

/** 200 requests per second, come what may, against an upstream that takes 5 ms; paired with direct calls. */
async function compareOpenLoop(targets) {
  const rows = []
  for (const [name, each] of Object.entries(targets)) {
    if (name === 'direct') continue
    const direct = []
    const through = []
    for (let round = 0; round < ROUNDS; round += 1) {
      await openLoop(targets.direct, each, direct, through, SECONDS)
    }
    const added = (q) => ms(quantile(through, q) - quantile(direct, q))
    rows.push([name, ms(quantile(direct, 0.5)), ms(quantile(through, 0.5)), added(0.5), added(0.99)])
  }
  const head = ['', 'direct p50 ms', 'p50 ms', 'added p50 ms', 'added p99 ms']
  print('200 requests per second, open loop, upstream takes 5 ms', head, rows)
}

async function openLoop(direct, each, directTimes, times, seconds) {
  const pools = [await pool(direct, 20), await pool(each, 20)]
  const pending = []
  const count = 200 * seconds
  const begin = performance.now()
  for (let index = 0; index < count; index += 1) {
    const due = begin + index * 5
    while (performance.now() < due)
      await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now() - 0.5)))
    // Both at the same moment, as a pair.
    pending.push(timed(pools[0], directTimes, due), timed(pools[1], times, due))
  }
  await Promise.all(pending)
  for (const each of pools) each.close()
}

async function timed(connections, times) {
  const begin = performance.now()
  await connections.request(5)
  times.push(performance.now() - begin)
}

/** As fast as it goes over 50 connections; beside it, what a request costs the server's own processor. */
async function compareThroughput(targets) {
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

/** 50 streams: the time to the first chunk when chunks are paced, and the chunk rate when they are not. */
async function compareStreams(targets) {
  const names = Object.keys(targets)
  const first = Object.fromEntries(names.map((name) => [name, []]))
  const rates = []
  for (let round = -1; round < ROUNDS; round += 1) {
    const row = {}
    for (const name of names) {
      const paced = await streams(targets[name], { chunks: 20, paceMs: 20 })
      if (round >= 0) first[name].push(...paced.first)
    }
    for (const name of names)
      row[name] = (await streams(targets[name], { chunks: 2000, paceMs: 0 })).chunksPerSecond
    if (round >= 0) rates.push(row)
  }
  const rows = names.map((name) => [
    name,
    ms(quantile(first[name], 0.5)),
    ms(quantile(first[name], 0.5) - quantile(first.direct, 0.5)),
    Math.round(median(rates.map((row) => row[name]))),
    median(rates.map((row) => row[name] / row.direct)).toFixed(2),
    median(rates.map((row) => row[name] / row.relay)).toFixed(2),
  ])
  const head = ['', 'first chunk p50 ms', 'added ms', 'chunks/s', '× direct', '× relay']
  print(`${STREAMS} streams at once`, head, rows)
}

async function streams(each, { chunks, paceMs }) {
  // The reader takes the core that the upstream, when it is called directly, leaves free.
  if (canPin) spawnSync('taskset', ['-cp', each.name === 'upstream' ? '1' : '0', String(process.pid)])
  const begin = performance.now()
  const results = await Promise.all(Array.from({ length: STREAMS }, () => oneStream(each, chunks, paceMs)))
  const seconds = (performance.now() - begin) / 1000
  for (const { events } of results)
    if (events < chunks) throw new Error(`${each.name}: ${events} of ${chunks} chunks`)
  return { first: results.map((result) => result.firstMs), chunksPerSecond: (STREAMS * chunks) / seconds }
}

/** Over a raw socket, so that the reader costs next to nothing. */
function oneStream(each, chunks, paceMs) {
  return new Promise((done, fail) => {
    const begin = performance.now()
    const body = JSON.stringify({ ...each.body, stream: true, chunks, pace_ms: paceMs })
    const socket = connect(each.port, '127.0.0.1', () => socket.write(message(each, body)))
    let firstMs
    let events = 0
    let tail = ''
    socket.on('data', (bytes) => {
      const text = tail + bytes.toString('latin1')
      if (firstMs === undefined && text.includes('data: {')) firstMs = performance.now() - begin
      let at = text.indexOf('data: {')
      let next = 0
      while (at !== -1) {
        events += 1
        next = at + 7
        at = text.indexOf('data: {', next)
      }
      tail = text.slice(Math.max(next, text.length - 6))
      if (text.includes('[DONE]')) {
        socket.destroy()
        done({ firstMs, events })
      }
    })
    socket.on('error', fail)
    socket.on('end', () => fail(new Error(`${each.name}: the stream ended early`)))
  })
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
  const pin = canPin ? ['taskset', '-c', each.name === 'upstream' ? '1' : '0'] : []
  const [command, ...parameters] = [
    ...pin,
    'wrk',
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${seconds}s`,
    '-s',
    script,
    url,
  ]
  const before = cpuMicros(each.pid)
  const { stdout } = await run(command, parameters)
  const used = cpuMicros(each.pid) - before
  rmSync(script)
  if (/Non-2xx/.test(stdout)) throw new Error(`${each.name} fails under load:\n${stdout}`)
  const count = Number(/(\d+) requests in/.exec(stdout)[1])
  return { rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1]), cpuMicros: used / count }
}

/** Processor time of a process, from ticks of a hundredth of a second; not known outside Linux. */
function cpuMicros(pid) {
  if (!existsSync(`/proc/${pid}/stat`)) return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

function target({ name, port, child }, path, body, headers = {}) {
  return { name, port, pid: child.pid, path, body, headers }
}

async function check(each) {
  const socket = await pool(each, 1)
  const answer = await socket.request(0)
  socket.close()
  if (!answer.includes('"choices"')) throw new Error(`${each.name} answers ${answer.slice(0, 500)}`)
}

async function openSockets(targets) {
  const entries = Object.entries(targets).map(async ([name, each]) => [name, await pool(each, 1)])
  return Object.fromEntries(await Promise.all(entries))
}

function closeSockets(sockets) {
  for (const each of Object.values(sockets)) each.close()
}

/** A few kept-alive connections that speak just enough HTTP. */
async function pool(each, size) {
  const idle = await Promise.all(Array.from({ length: size }, () => connection(each)))
  return {
    async request(delayMs) {
      const socket = idle.pop() ?? (await connection(each))
      const answer = await socket.ask(delayMs)
      idle.push(socket)
      return answer
    },
    close() {
      for (const socket of idle) socket.close()
    },
  }
}

function connection(each) {
  return new Promise((opened, failed) => {
    const socket = connect(each.port, '127.0.0.1', () =>
      opened({
        ask(delayMs) {
          socket.write(message(each, JSON.stringify({ ...each.body, delay_ms: delayMs })))
          return new Promise((done) => {
            answered = done
          })
        },
        close: () => socket.destroy(),
      }),
    )
    socket.setNoDelay(true)
    socket.on('error', failed)
    let answered
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return
      const length = /content-length: (\d+)/i.exec(text)?.[1]
      const complete = length ? text.length >= end + 4 + Number(length) : text.endsWith('0\r\n\r\n')
      if (!complete) return
      const answer = text
      text = ''
      answered(answer)
    })
  })
}

function message(each, body) {
  const headers = Object.entries(each.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${each.path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers.join('')}\r\n${body}`
}

async function startPortkey(started) {
  const directory = process.env.PORTKEY_DIR
  if (!directory) return undefined
  const script = join(directory, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  if (!existsSync(script)) throw new Error(`PORTKEY_DIR: ${script} does not exist`)
  const port = await freePort()
  return started(
    'portkey',
    1,
    [script, `--port=${port}`, '--headless'],
    { TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
    port,
  )
}

/** Starts a server on a core. One that writes a log gets a file for it: a pipe would cost the reader's time. */
async function start(name, core, parameters, { LOG_FILE, ...environment } = {}, knownPort = undefined) {
  const pin = canPin ? ['taskset', '-c', String(core)] : []
  const [command, ...rest] = [...pin, process.execPath, ...parameters]
  const port = knownPort ?? (await freePort())
  const child = spawn(command, rest, {
    cwd: root,
    env: { ...process.env, PORT: String(port), NODE_ENV: 'production', ...environment },
    stdio: ['ignore', LOG_FILE === undefined ? 'ignore' : openSync(LOG_FILE, 'w'), 'inherit'],
  })
  const ended = new Promise((_, failed) =>
    child.on('exit', (code) => failed(new Error(`${name} ended with ${code}`))),
  )
  ended.catch(() => {})
  await Promise.race([waitFor(port), ended])
  return { name, child, port }
}

async function waitFor(port) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const isOpen = await new Promise((done) => {
      const socket = connect(port, '127.0.0.1', () => done(true)).on('error', () => done(false))
      socket.unref()
    })
    if (isOpen) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`nobody listens on ${port}`)
}

function freePort() {
  return new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => found(port))
    })
  })
}

function writeCatalog() {
  const directory = mkdtempSync(join(tmpdir(), 'chat-bench-'))
  mkdirSync(join(directory, 'templates/bench'), { recursive: true })
  const prompt = {
    userPrompt: 'Review this.\n{{.variables.question}}\n',
    parameters: [{ name: 'question', type: 'string' }],
  }
  writeFileSync(join(directory, 'templates/bench/review.json'), JSON.stringify(prompt))
  return directory
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
