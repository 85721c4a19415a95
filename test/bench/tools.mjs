// Tools: how much calls overlap in one template, and what a template function call costs over a direct request.
// Everything runs on loopback in this process except the tool server, which has a process of its own.
import { fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { cpus, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent } from 'undici'

const DELAY_MS = 100
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)
const CALLS = Number(process.env.BENCH_CALLS ?? 600)
const WARM_UP = 300

if (process.argv[2] === 'server') serve()
else await main()

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
  const child = fork(fileURLToPath(import.meta.url), ['server'])
  const port = await new Promise((resolve) => child.once('message', resolve))
  const directory = mkdtempSync(join(tmpdir(), 'bench-tools-'))
  const { app, render } = await openApp(directory, port)
  try {
    console.log(`${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.version}\n`)
    await overlap(render)
    await overhead(render, port)
  } finally {
    await app.close()
    child.kill()
    rmSync(directory, { recursive: true })
  }
}

async function openApp(directory, port) {
  const { buildApp, loadConfig } = await import('../../dist/index.js')
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
  }
  const rendered = await renderer.renderJson(request)
  if (rendered.warnings.length > 0) throw new Error(rendered.warnings[0].message)
  return rendered
}

async function overlap(render) {
  const names = Array.from({ length: 50 }, (_, index) => String(index))
  const cases = [
    ['10 independent calls', () => render('b.ten'), 'at most 130 ms'],
    ['50 calls in a range, 16 at once', () => render('b.range', { names }), 'at most 450 ms'],
    ['3 calls, each needing the one before', () => render('b.chain'), 'about 300 ms'],
  ]
  console.log(`| calls of ${DELAY_MS} ms each | median of ${ROUNDS} | worst | goal |\n|---|---|---|---|`)
  for (const [name, run, goal] of cases) {
    await run()
    const times = []
    for (let round = 0; round < ROUNDS; round += 1) times.push(await timed(run))
    console.log(
      `| ${name} | ${median(times).toFixed(1)} ms | ${Math.max(...times).toFixed(1)} ms | ${goal} |`,
    )
  }
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
  const show = (times) => `${median(times).toFixed(3)} ms`
  console.log(`\n| one call, ${CALLS} times | median |\n|---|---|`)
  console.log(`| direct undici request | ${show(directTimes)} |`)
  console.log(`| render of a template with one tool call | ${show(toolTimes)} |`)
  console.log(`| render of a template without | ${show(plainTimes)} |`)
  console.log(`| **overhead of the tool call** (goal: at most 0.3 ms) | **${over.toFixed(3)} ms** |`)
  await agent.close()
}

async function timed(run) {
  const started = performance.now()
  await run()
  return performance.now() - started
}

function median(values) {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]
}
