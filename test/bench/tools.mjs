// Tools: how much calls overlap in one template, and what a template function call costs over a direct request.
// Everything runs on loopback in this process except the tool server, which has a process of its own.
// `-- --other DIRECTORY` compares this build with another one, in turns, in this many `--rounds` pairs of processes.
import { fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { cpus, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Agent } from 'undici'
import { compareInTurns } from './in-turns.mjs'

const DELAY_MS = 100
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)
const CALLS = Number(process.env.BENCH_CALLS ?? 600)
/** Until V8 has optimised what a render runs: before that, what is timed is how much code there is. */
const WARM_UP = 5_000
const GOALS = {
  '10 independent calls': 'at most 130 ms',
  '50 calls in a range, 16 at once': 'at most 450 ms',
  '3 calls, each needing the one before': 'about 300 ms',
}

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { other: { type: 'string' }, rounds: { type: 'string', default: '15' } },
})
const self = fileURLToPath(import.meta.url)

if (positionals[0] === 'server') serve()
else if (flags.other !== undefined) console.log(await inTurns(flags.other, Number(flags.rounds)))
else if (positionals[0] !== undefined) console.log(JSON.stringify(await measure(positionals[0])))
else await main()

/** The overlap of calls needs few rounds: what is compared is the cost of a call. */
function inTurns(other, rounds) {
  process.env.BENCH_ROUNDS ??= '3'
  const show = (ms) => `${ms.toFixed(3)} ms`
  return compareInTurns({ script: self, args: [], other, rounds, show })
}

/** Answers at once, or on `/slow` after the delay. */
function serve() {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const answer = () => {
        response.setHeader('content-type', 'application/json')
        response.end('{"text":"found"}')
      }
      if (request.url.startsWith('/slow')) setTimeout(answer, DELAY_MS)
      else answer()
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send(server.address().port))
}

async function main() {
  const { overlap, calls } = await measure(resolve(import.meta.dirname, '../..'))
  console.log(`${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.version}\n`)
  console.log(`| calls of ${DELAY_MS} ms each | median of ${ROUNDS} | goal |\n|---|---|---|`)
  for (const [name, ms] of Object.entries(overlap))
    console.log(`| ${name} | ${ms.toFixed(1)} ms | ${GOALS[name]} |`)
  console.log(`\n| one call, ${CALLS} times | median |\n|---|---|`)
  for (const [name, ms] of Object.entries(calls)) console.log(`| ${name} | ${ms.toFixed(3)} ms |`)
}

/** The figures of the build in a directory, in milliseconds. */
async function measure(build) {
  const child = fork(self, ['server'])
  const port = await new Promise((resolve) => child.once('message', resolve))
  const directory = mkdtempSync(join(tmpdir(), 'bench-tools-'))
  const { app, render } = await openApp(build, directory, port)
  try {
    return { overlap: await overlap(render), calls: await overhead(render, port) }
  } finally {
    await app.close()
    child.kill()
    rmSync(directory, { recursive: true })
  }
}

async function openApp(build, directory, port) {
  const { buildApp, loadConfig } = await import(pathToFileURL(join(build, 'dist/index.js')).href)
  const parameters = { type: 'object', properties: { text: { type: 'string' } } }
  const tool = (url) => ({ url, parameters, result: 'text', readOnly: true })
  const calls = (count) => Array.from({ length: count }, (_, index) => `{{t_slow "${index}"}}`).join(' ')
  write(directory, 'tools/t/slow', tool('/slow'))
  write(directory, 'tools/t/fast', tool('/fast'))
  write(directory, 'templates/b/ten', { userPrompt: calls(10) })
  write(directory, 'templates/b/range', { userPrompt: '{{range .variables.names}}{{t_slow .}} {{end}}' })
  write(directory, 'templates/b/chain', { userPrompt: '{{t_slow (t_slow (t_slow "a"))}}' })
  write(directory, 'templates/b/one', { userPrompt: '{{t_fast "a"}}' })
  write(directory, 'templates/b/none', { userPrompt: '{{.variables.text}}' })
  const environment = {
    CATALOG_DIR: directory,
    TOOL_BASE_URL: `http://127.0.0.1:${port}`,
    RENDER_TIMEOUT_MS: '5000',
    LOG_LEVEL: 'silent',
  }
  const app = await buildApp(loadConfig({ environment }))
  return { app, render: (id, variables = {}) => renderOnce(app, id, variables) }
}

function write(directory, name, content) {
  const path = join(directory, `${name}.json`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(content))
}

/** The renderer itself, as the HTTP route calls it. */
async function renderOnce({ registry, renderer }, id, variables) {
  const snapshot = registry.current
  const prompt = snapshot.prompts.get(id)
  const compiled = registry.compiled(snapshot, prompt)
  const request = {
    snapshot,
    definition: prompt.definition,
    compiled,
    variables,
    call: { requestId: 'bench', signal: new AbortController().signal },
    // Where 0.1.0 looks for it.
    requestId: 'bench',
  }
  const rendered = await renderer.renderJson(request)
  if (rendered.warnings.length > 0) throw new Error(rendered.warnings[0].message)
  return rendered
}

async function overlap(render) {
  const names = Array.from({ length: 50 }, (_, index) => String(index))
  const cases = {
    '10 independent calls': () => render('b.ten'),
    '50 calls in a range, 16 at once': () => render('b.range', { names }),
    '3 calls, each needing the one before': () => render('b.chain'),
  }
  const medians = {}
  for (const [name, run] of Object.entries(cases)) {
    await run()
    const times = []
    for (let round = 0; round < ROUNDS; round += 1) times.push(await timed(run))
    medians[name] = median(times)
  }
  return medians
}

/** Rounds are interleaved, so that a busy machine disturbs both alike. */
async function overhead(render, port) {
  const agent = new Agent({ connections: 8 })
  const direct = async () => {
    const { body } = await agent.request({
      origin: `http://127.0.0.1:${port}`,
      path: '/fast',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"a"}',
    })
    return body.json()
  }
  const asTool = () => render('b.one')
  const withoutTool = () => render('b.none', { text: 'a' })
  for (let call = 0; call < WARM_UP; call += 1) {
    await direct()
    await asTool()
    await withoutTool()
  }
  const [directTimes, toolTimes, plainTimes] = [[], [], []]
  for (let call = 0; call < CALLS; call += 1) {
    directTimes.push(await timed(direct))
    toolTimes.push(await timed(asTool))
    plainTimes.push(await timed(withoutTool))
  }
  const over = median(toolTimes.map((time, index) => time - directTimes[index]))
  await agent.close()
  return {
    'direct undici request': median(directTimes),
    'render of a template with one tool call': median(toolTimes),
    'render of a template without': median(plainTimes),
    'overhead of the tool call (goal: at most 0.3 ms)': over,
  }
}

async function timed(run) {
  const started = performance.now()
  await run()
  return performance.now() - started
}

function median(values) {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]
}
