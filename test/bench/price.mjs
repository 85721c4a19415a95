// What a change costs: this build beside another one, such as a release in a worktree of its own:
// `npm run bench:price -- --other ../release [--rounds 15] [--seconds 1] [--pairs 3] [--only render]`; or what a module
// costs that is loaded before it, such as an SDK: `-- --other . --import test/bench/spans.mjs --warm-up 15`: what only one
// request of a hundred does takes V8 a hundred times as many requests to compile. Both serve in processes of their own, warm,
// and take turns in short rounds. What counts is the server's own processor time per request, paired within a round,
// so that a machine that others use too disturbs both alike; the interval is that of the median (order statistics).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openConnections, readStream } from './chat/connections.mjs'
import { pin, startServer } from './chat/servers.mjs'
import { upstream } from './chat/upstream.mjs'
import { cpuMicros } from './cpu-micros.mjs'

const CONNECTIONS = 32
const self = fileURLToPath(import.meta.url)
const sentence =
  'You review code for correctness, clarity and safety; you say "why", and you quote the line.\n'
const PROMPT = `Project {{.project.name}}\n{{range .project.rules}}- {{.name}}: {{.text}}\n{{end}}${sentence.repeat(12)}Question: {{.variables.question}}\n`
/** About 8 KB, nearly all of it the template's own. */
const STATIC = `${sentence.repeat(84)}Question: {{.variables.question}}\n`
const PROJECT = {
  name: 'order-service',
  rules: Array.from({ length: 8 }, (_, index) => ({
    name: `rule-${index}`,
    text: 'errors are handled once',
  })),
}
const question = 'Is this function safe when two clients write at once? '.repeat(10)
const completion = { model: 'm', messages: [{ role: 'user', content: question }] }
const WORK = {
  render: { path: '/api/render/prompts/bench.mixed', body: { variables: { question } } },
  'render of 8 KB': {
    path: '/api/render/prompts/bench.static',
    body: { variables: { question: 'Is it safe?' } },
  },
  chat: { path: '/v1/chat/completions', body: completion },
  'chat of a prompt': {
    path: '/api/chat/prompts/bench.mixed',
    body: { model: 'm', variables: { question } },
  },
  'stream of 50 events': { path: '/v1/chat/completions', body: { ...completion, stream: true } },
}

if (process.argv[2] === 'upstream') upstream()
else await main()

async function main() {
  const { values } = parseArgs({
    options: {
      other: { type: 'string' },
      rounds: { type: 'string', default: '15' },
      seconds: { type: 'string', default: '1' },
      pairs: { type: 'string', default: '3' },
      'warm-up': { type: 'string', default: '4' },
      only: { type: 'string' },
      import: { type: 'string' },
    },
  })
  if (values.other === undefined) throw new Error('--other names the folder of the other build')
  const [rounds, pairs] = [Number(values.rounds), Number(values.pairs)]
  const catalog = writeCatalog()
  // Not beside the documents: both would look for changes at every line.
  const logs = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-price-logs-'))
  const names = Object.keys(WORK).filter((name) => [undefined, name].includes(values.only))
  const costs = Object.fromEntries(names.map((name) => [name, []]))
  const loaded = values.import === undefined ? [] : ['--import', resolve(values.import)]
  const builds = [
    ['other', [resolve(values.other, 'dist/main.js')]],
    ['this', [...loaded, resolve('dist/main.js')]],
  ]
  const up = await startServer('upstream', [self, 'upstream'])
  try {
    pin(up.child.pid, '0')
    pin(process.pid, '0')
    await fetch(`http://127.0.0.1:${up.port}/behave?delayMs=0&paceMs=0&chunks=50`)
    const environment = {
      CATALOG_DIR: catalog,
      LLM_BASE_URL: `http://127.0.0.1:${up.port}/v1`,
      LLM_API_KEY: 'bench',
      // The machine may be busy: what is refused says nothing about the price.
      MAX_LOOP_DELAY_MS: '60000',
    }
    const [ms, warmUpMs] = [values.seconds, values['warm-up']].map((seconds) => Number(seconds) * 1_000)
    const share = { rounds: rounds / pairs, ms, warmUpMs }
    for (let pair = 0; pair < pairs; pair += 1)
      await comparePair(builds, { environment, logs, costs, ...share })
  } finally {
    up.child.kill()
    for (const folder of [catalog, logs]) rmSync(folder, { recursive: true })
  }
  console.log(
    `Node ${process.version}, ${rounds} rounds of ${values.seconds} s with ${pairs} pairs of processes\n`,
  )
  console.log('| work | other, µs of processor time per request | this | this / other | 95 % interval |')
  console.log('|---|---|---|---|---|')
  for (const [name, rows] of Object.entries(costs)) console.log(summary(name, rows))
}

/** A pair of fresh processes takes its share of the rounds: V8 makes one process faster than another by chance. */
async function comparePair(builds, { environment, logs, costs, ...share }) {
  const servers = []
  try {
    for (const [name, parameters] of builds) {
      const LOG_FILE = join(logs, `${name}.log`)
      servers.push(await startServer(name, parameters, { ...environment, LOG_FILE }))
      pin(servers.at(-1).child.pid, '1')
    }
    for (const [name, rows] of Object.entries(costs))
      rows.push(...(await compare(WORK[name], servers, share)))
  } finally {
    for (const { child } of servers) child.kill()
  }
}

async function compare(work, servers, { rounds, ms, warmUpMs }) {
  for (const server of servers) await cost(server, work, warmUpMs)
  const rows = []
  for (let round = 0; round < rounds; round += 1) {
    const row = {}
    for (const server of round % 2 === 0 ? servers : servers.toReversed())
      row[server.name] = await cost(server, work, ms)
    rows.push(row)
  }
  return rows
}

function summary(name, rows) {
  const ratios = rows.map((row) => row.this / row.other).sort((a, b) => a - b)
  // For 15 values the fourth and the twelfth enclose the median with 96 %.
  const rank = Math.max(0, Math.floor((rows.length - 1.96 * Math.sqrt(rows.length)) / 2))
  const figures = ['other', 'this'].map((side) => median(rows.map((row) => row[side])).toFixed(0))
  const interval = `${ratios[rank].toFixed(3)} – ${ratios.at(-1 - rank).toFixed(3)}`
  return `| ${name} | ${figures.join(' | ')} | ${median(ratios).toFixed(3)} | ${interval} |`
}

/** Microseconds of the server's processor time per request. */
async function cost({ child, port }, { path, body }, ms) {
  const target = { name: path, port, path, body, headers: {} }
  const connections = await openConnections(target, body.stream ? 0 : CONNECTIONS)
  const send = body.stream ? () => readStream(target) : async () => checked(await connections.request())
  const before = cpuMicros(child.pid)
  const end = performance.now() + ms
  let requests = 0
  const lane = async () => {
    while (performance.now() < end) {
      await send()
      requests += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  connections.close()
  return (cpuMicros(child.pid) - before) / requests
}

function checked(answer) {
  if (!answer.startsWith('HTTP/1.1 200')) throw new Error(answer.slice(0, 500))
}

function writeCatalog() {
  const catalog = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-price-'))
  for (const folder of ['templates/bench', 'environs', 'extensions', 'tools'])
    mkdirSync(join(catalog, folder), { recursive: true })
  const parameters = [{ name: 'question', type: 'string' }]
  for (const [name, userPrompt] of Object.entries({ mixed: PROMPT, static: STATIC }))
    writeFileSync(join(catalog, `templates/bench/${name}.json`), JSON.stringify({ userPrompt, parameters }))
  writeFileSync(join(catalog, 'environs/project.json'), JSON.stringify(PROJECT))
  return catalog
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
