// What a change costs: this build beside another one, such as a release in a worktree of its own:
// `npm run bench:price -- --other ../release [--rounds 15] [--seconds 1] [--only render]`; or what a module costs that is
// loaded before it, such as an SDK: `-- --other . --import test/bench/spans.mjs`. Both serve in processes of their own, warm,
// and take turns in short rounds. What counts is the server's own processor time per request, paired within a round,
// so that a machine that others use too disturbs both alike; the interval is that of the median (order statistics).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openConnections, readStream } from './chat/connections.mjs'
import { cpuMicros, pin, startServer } from './chat/servers.mjs'
import { upstream } from './chat/upstream.mjs'

const CONNECTIONS = 32
const WARM_UP_MS = 4_000
const self = fileURLToPath(import.meta.url)
const sentence =
  'You review code for correctness, clarity and safety; you say "why", and you quote the line.\n'
const PROMPT = `Project {{.project.name}}\n{{range .project.rules}}- {{.name}}: {{.text}}\n{{end}}${sentence.repeat(12)}Question: {{.variables.question}}\n`
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
      only: { type: 'string' },
      import: { type: 'string' },
    },
  })
  if (values.other === undefined) throw new Error('--other names the folder of the other build')
  const catalog = writeCatalog()
  // Not beside the documents: both would look for changes at every line.
  const logs = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-price-logs-'))
  const servers = []
  const start = async (name, parameters, environment) => {
    servers.push(await startServer(name, parameters, environment))
    return servers.at(-1)
  }
  try {
    const up = await start('upstream', [self, 'upstream'])
    await fetch(`http://127.0.0.1:${up.port}/behave?delayMs=0&paceMs=0&chunks=50`)
    const pair = []
    const loaded = values.import === undefined ? [] : ['--import', resolve(values.import)]
    for (const [name, folder, before] of [
      ['other', values.other, []],
      ['this', '.', loaded],
    ]) {
      const environment = {
        CATALOG_DIR: catalog,
        LLM_BASE_URL: `http://127.0.0.1:${up.port}/v1`,
        LLM_API_KEY: 'bench',
        // The machine may be busy: what is refused says nothing about the price.
        MAX_LOOP_DELAY_MS: '60000',
        LOG_FILE: join(logs, `${name}.log`),
      }
      pair.push(await start(name, [...before, resolve(folder, 'dist/main.js')], environment))
    }
    for (const { name, child } of servers) pin(child.pid, name === 'upstream' ? '0' : '1')
    pin(process.pid, '0')
    console.log(`Node ${process.version}, ${values.rounds} rounds of ${values.seconds} s\n`)
    console.log('| work | other, µs of processor time per request | this | this / other | 95 % interval |')
    console.log('|---|---|---|---|---|')
    for (const [name, work] of Object.entries(WORK).filter(([name]) =>
      [undefined, name].includes(values.only),
    ))
      console.log(await compare(name, work, pair, Number(values.rounds), Number(values.seconds) * 1_000))
  } finally {
    for (const { child } of servers) child.kill()
    for (const folder of [catalog, logs]) rmSync(folder, { recursive: true })
  }
}

async function compare(name, work, pair, rounds, ms) {
  for (const server of pair) await cost(server, work, WARM_UP_MS)
  const costs = []
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? pair : pair.toReversed()
    const row = {}
    for (const server of order) row[server.name] = await cost(server, work, ms)
    costs.push(row)
  }
  const ratios = costs.map((row) => row.this / row.other).sort((a, b) => a - b)
  // For 15 values the fourth and the twelfth enclose the median with 96 %.
  const rank = Math.floor((rounds - 1.96 * Math.sqrt(rounds)) / 2)
  const [low, high] = [ratios[Math.max(0, rank)], ratios[Math.min(rounds - 1, rounds - 1 - rank)]]
  const figures = ['other', 'this'].map((side) => median(costs.map((row) => row[side])).toFixed(0))
  return `| ${name} | ${figures.join(' | ')} | ${median(ratios).toFixed(3)} | ${low.toFixed(3)} – ${high.toFixed(3)} |`
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
  writeFileSync(
    join(catalog, 'templates/bench/mixed.json'),
    JSON.stringify({ userPrompt: PROMPT, parameters }),
  )
  writeFileSync(join(catalog, 'environs/project.json'), JSON.stringify(PROJECT))
  return catalog
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
