// The render endpoint beside a bare node:http server and a bare Fastify handler that return the same bytes.
// With an SDK: the service with OpenTelemetry's, which samples one request of a hundred and sends its spans nowhere.
// OTHER_BUILD names the folder of another build to measure beside them; BENCH_PROMPTS, BENCH_CONNECTIONS and BENCH_SERVERS
// choose. Each server runs in a process of its own; the load comes from wrk, or from autocannon where wrk is missing.
// Rounds are interleaved and ratios are taken within a round, so that a busy machine disturbs all alike.
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from './free-port.mjs'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
/** The service runs ten times the code of the bare servers, and V8 takes that much longer to optimise it. */
const WARM_UP_SECONDS = Number(process.env.BENCH_WARM_UP_SECONDS ?? 4)
const CONNECTIONS = listed('BENCH_CONNECTIONS', '1,8,64').map(Number)
/** Whose rows come first. */
const SERVERS = listed('BENCH_SERVERS', 'node:http,fastify,service,other,with an SDK')
const SPANS = new URL('spans.mjs', import.meta.url).href
const root = resolve(fileURLToPath(import.meta.url), '../../..')
const run = promisify(execFile)
/** What takes longer than this beyond its own time never ends. */
const LONGEST_MS = 10_000

const sentence =
  'You review code for correctness, clarity and safety; you say "why", and you quote the line.\n'
const item = '- {{.name}}: {{.text}}\n'
const PROMPTS = {
  // About 2 KB of output, a third of it from variables and context.
  mixed: `Project {{.project.name}} ({{.project.language}})\n{{if .variables.focus}}Focus: {{.variables.focus}}\n{{end}}{{range .project.rules}}${item}{{end}}${sentence.repeat(12)}Question: {{.variables.question}}\n`,
  // About 8 KB of output, nearly all of it the template's own text.
  static: `${sentence.repeat(84)}Question: {{.variables.question}}\n`,
}
const PROJECT = {
  name: 'order-service',
  language: 'go',
  rules: Array.from({ length: 8 }, (_, index) => ({
    name: `rule-${index}`,
    text: 'errors are wrapped with context and handled once, at the edge',
  })),
}
const BODY = JSON.stringify({
  variables: { focus: 'correctness', question: 'Is this safe when two clients write at once?' },
})

if (process.argv[2] === 'bare') await serveBare(process.argv[3], readFileSync(process.argv[4], 'utf8'))
else await main()

async function main() {
  const catalog = writeCatalog()
  try {
    for (const prompt of listed('BENCH_PROMPTS', 'mixed,static')) await compare(catalog, prompt)
  } finally {
    rmSync(catalog, { recursive: true })
  }
}

async function compare(catalog, prompt) {
  // What others do on the machine is no reason to refuse requests here.
  const environment = { CATALOG_DIR: catalog, MAX_LOOP_DELAY_MS: '0' }
  const service = await start(['dist/main.js'], environment)
  const path = `/api/render/prompts/bench.${prompt}`
  const answer = await render(service, path)
  const sample = join(catalog, `${prompt}.json`)
  writeFileSync(sample, answer)
  const other = process.env.OTHER_BUILD
  const starts = {
    'node:http': () => start([fileURLToPath(import.meta.url), 'bare', 'http', sample]),
    fastify: () => start([fileURLToPath(import.meta.url), 'bare', 'fastify', sample]),
    service: () => service,
    ...(other && { other: () => start([resolve(other, 'dist/main.js')], environment) }),
    'with an SDK': () => start(['--import', SPANS, 'dist/main.js'], environment),
  }
  const servers = {}
  for (const name of SERVERS) if (name in starts) servers[name] = await starts[name]()
  try {
    for (const server of Object.values(servers)) {
      if ((await render(server, path)) !== answer) throw new Error('the servers do not return the same bytes')
      await load(server, path, WARM_UP_SECONDS, Math.max(...CONNECTIONS))
    }
    for (const connections of CONNECTIONS) {
      report(prompt, answer, connections, await measure(servers, path, connections))
    }
  } finally {
    for (const server of Object.values(servers)) server.process.kill()
  }
}

async function measure(servers, path, connections) {
  const rounds = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const row = {}
    const names = Object.keys(servers)
    // Another order each round: nobody always runs after the same neighbour.
    for (const turn of names.keys()) {
      const name = names[(turn + round) % names.length]
      row[name] = await load(servers[name], path, SECONDS, connections)
    }
    rounds.push(row)
  }
  return rounds
}

function report(prompt, answer, connections, rounds) {
  console.log(
    `\n${prompt}: ${Buffer.byteLength(answer)} bytes, ${connections} connections, ${ROUNDS} rounds of ${SECONDS} s`,
  )
  console.log(`${cpus()[0].model}, ${cpus().length} cores, Node ${process.version}`)
  console.log('server      requests/s per core   × node:http   × fastify   × service   requests/s')
  const ratio = (name, rival) => {
    if (!(rival in rounds[0])) return '-'
    return median(rounds.map((row) => row[name].perCore / row[rival].perCore)).toFixed(2)
  }
  for (const name of SERVERS.filter((each) => each in rounds[0])) {
    const columns = [
      name.padEnd(11),
      Math.round(median(rounds.map((row) => row[name].perCore)))
        .toString()
        .padStart(15),
      ratio(name, 'node:http').padStart(17),
      ratio(name, 'fastify').padStart(11),
      ratio(name, 'service').padStart(11),
      Math.round(median(rounds.map((row) => row[name].perSecond)))
        .toString()
        .padStart(12),
    ]
    console.log(columns.join(' '))
  }
}

/** Requests per second of wall time, and per second of the server's own processor time. */
async function load(server, path, seconds, connections) {
  const before = cpuSeconds(server.process.pid)
  const startedAt = performance.now()
  const requests = await (server.hasWrk ? wrk : autocannon)(server, path, seconds, connections)
  const elapsed = (performance.now() - startedAt) / 1000
  const perSecond = requests / elapsed
  const cpu = cpuSeconds(server.process.pid) - before
  return { perSecond, perCore: cpu > 0 ? requests / cpu : perSecond }
}

async function wrk(server, path, seconds, connections) {
  const script = join(tmpdir(), `ai-prompt-shell-bench-${process.pid}.lua`)
  writeFileSync(
    script,
    `wrk.method = "POST"\nwrk.body = ${JSON.stringify(BODY)}\nwrk.headers["content-type"] = "application/json"\n`,
  )
  const { stdout } = await run(
    'wrk',
    ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, server.url + path],
    { timeout: seconds * 1000 + LONGEST_MS },
  )
  rmSync(script)
  if (/Non-2xx/.test(stdout)) throw new Error(stdout)
  return Number(/(\d+) requests in/.exec(stdout)[1])
}

async function autocannon(server, path, seconds, connections) {
  const { default: fire } = await import('autocannon')
  const result = await fire({
    url: server.url + path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: BODY,
    connections,
    duration: seconds,
  })
  if (result.non2xx > 0) throw new Error(`${result.non2xx} requests failed`)
  return result['2xx']
}

/** From /proc, in ticks of a hundredth; elsewhere 0, and wall time counts. */
function cpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}

async function start(args, environment = {}) {
  const port = await freePort()
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH, PORT: String(port), ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const server = { process: child, url: `http://127.0.0.1:${port}`, hasWrk: await hasWrk() }
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      const response = await fetch(`${server.url}/readyz`, { signal: AbortSignal.timeout(LONGEST_MS) })
      await response.text()
      if (!response.ok) throw new Error('not ready')
      return server
    } catch {
      await new Promise((wake) => setTimeout(wake, 100))
    }
  }
  throw new Error(`${args[0]} did not start`)
}

function listed(name, usual) {
  return (process.env[name] ?? usual).split(',')
}

async function hasWrk() {
  return run('wrk', ['-v']).then(
    () => true,
    (error) => error.code !== 'ENOENT',
  )
}

async function render(server, path) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: BODY,
    signal: AbortSignal.timeout(LONGEST_MS),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}

function writeCatalog() {
  const catalog = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-bench-'))
  for (const folder of ['templates/bench', 'environs', 'extensions', 'tools']) {
    mkdirSync(join(catalog, folder), { recursive: true })
  }
  for (const [name, userPrompt] of Object.entries(PROMPTS)) {
    const parameters = [
      { name: 'question', type: 'string' },
      { name: 'focus', type: 'string', default: '' },
    ]
    writeFileSync(join(catalog, `templates/bench/${name}.json`), JSON.stringify({ userPrompt, parameters }))
  }
  writeFileSync(join(catalog, 'environs/project.json'), JSON.stringify(PROJECT))
  return catalog
}

/** Parses the body, answers the object whose JSON is the sample: what a handler without a product around it does. */
async function serveBare(kind, sample) {
  const value = JSON.parse(sample)
  const port = Number(process.env.PORT)
  if (kind === 'fastify') {
    const { default: Fastify } = await import('fastify')
    const server = Fastify()
    server.post('/api/render/prompts/:id', () => value)
    server.get('/readyz', () => 'ok')
    await server.listen({ port, host: '127.0.0.1' })
    return
  }
  createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method === 'POST') JSON.parse(Buffer.concat(chunks).toString())
      const text = JSON.stringify(value)
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
      })
      response.end(text)
    })
  }).listen(port, '127.0.0.1')
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
