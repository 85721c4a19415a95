// Plays a newcomer's first hour in an empty folder, with nothing but the packed package: install, init, edit, break, fix,
// serve, four clients, an agent, a task. Says what it did and how long it took, and ends with one line: N passed, N failed.
//
//   npm run first-hour      builds, then plays
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')
const home = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-first-hour-'))
const greeting = join(home, 'my-prompts/templates/hello/greeting.yaml')
const profile = join(home, 'my-prompts/environs/team/profile.yaml')
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']
const READY_TIMEOUT_MS = 60_000
const results = []
const running = []
let url = ''
let served = ''
let tookMs = 0

try {
  await step('pack and install, with engine-strict', async () => {
    const [{ filename }] = JSON.parse(
      (await at(root, 'npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', home])).stdout,
    )
    writeFileSync(join(home, 'package.json'), '{"private":true,"type":"module"}')
    await at(home, 'npm', ['install', '--engine-strict', ...QUIET, `./${filename}`, 'openai@6'])
    expect((await shell('--version')).stdout, /^\d+\.\d+\.\d+\n$/)
  })
  await step('init, and nothing to complain about', async () => {
    expect((await shell('init', 'my-prompts')).stdout, /Next:/)
    expect((await shell('check', 'my-prompts', '--strict')).stderr, /0 errors, 0 warnings/)
    expect((await shell('test', 'my-prompts')).stdout, /3 passed, 0 failed/)
  })
  await step('edit, and see it', async () => {
    change(profile, 'name: Acme', 'name: Lovelace Ltd')
    expect((await greet('Ada')).stdout, /Welcome Ada to Lovelace Ltd/)
  })
  const good = readFileSync(greeting, 'utf8')
  await step('break it: check says where, and what', async () => {
    change(greeting, '{{- end}}', '')
    const { code, stdout } = await failing('check', 'my-prompts')
    expect(`${code} ${stdout}`, /^1 my-prompts\/templates\/hello\/greeting\.yaml:\d+:\d+ .*unexpected EOF/)
  })
  await step('fix it', async () => {
    writeFileSync(greeting, good)
    expect((await shell('check', 'my-prompts')).stderr, /0 errors/)
  })
  await step('mistype a variable, an id and a command', async () => {
    expect((await failing('render', 'hello.greting', '--catalog', 'my-prompts')).stderr, /hello\.greeting/)
    expect((await failing('rendr')).stderr, /did you mean "render"/)
  })
  await step('serve the folder', serve)
  await step('break it while it serves: the last good version goes on, the terminal says where', async () => {
    writeFileSync(greeting, 'userPrompt: "{{if"\n')
    await until(() =>
      /warn\s+my-prompts\/templates\/hello\/greeting\.yaml:1:\d+ .*last good version/.test(served),
    )
    expect(await text(await render({ name: 'Ada' })), /Welcome Ada to Lovelace Ltd/)
    writeFileSync(greeting, good)
    await until(() => /greeting\.yaml.*(valid again|recovered|fixed)/.test(served))
  })
  await step('client 1: HTTP', async () => {
    expect(await text(await render({ name: 'Grace', role: 'admiral' })), /the role of admiral/)
  })
  await step("client 2: OpenAI's, with variables", () =>
    program(`import OpenAI from 'openai'
      const client = new OpenAI({ baseURL: '${url}/v1', apiKey: 'none' })
      const prompt = { id: 'hello.greeting', variables: { name: 'Alan' } }
      console.log((await client.responses.create({ prompt })).output_text)`),
  )
  await step("client 3: the package's own", () =>
    program(`import { createClient } from 'ai-prompt-shell/client'
      const client = createClient({ url: '${url}' })
      console.log((await client.render('hello.greeting', { name: 'Alan' })).text)`),
  )
  await step('client 4: Python', async () => {
    const code = `from ai_prompt_shell import Client\nprint(Client("${url}").render("hello.greeting", {"name": "Alan"}).text)`
    const environment = { PYTHONPATH: resolve('clients/python') }
    const { stdout } = await at(home, 'python3', ['-c', code], environment)
    expect(stdout, /Welcome Alan to/)
  })
  await step('ask the agent, and get an answer', async () => {
    expect((await shell('agent', 'hello.helper', 'Who are you?', '--url', url)).stdout, /^Who are you\?\n$/)
  })
  await step('a task that is planned, carried out, judged and reflected on', async () => {
    const model = await demoModel()
    const environment = { LLM_BASE_URL: model, LLM_MODEL: 'demo' }
    const task = await at(home, ...npx('task', 'Write a welcome', '--catalog', 'my-prompts'), environment)
    expect(task.stderr, /round 1: reflect[\s\S]*round 2: evaluate[\s\S]*completed: /)
    expect(task.stdout, /Write a welcome/)
  })
  await step('stop, in order', async () => {
    const [service] = running
    service.kill('SIGTERM')
    const [code] = service.exitCode === null ? await once(service, 'exit') : [service.exitCode]
    expect(String(code), /^0$/)
  })
} finally {
  tookMs = performance.now()
  for (const child of running) child.kill('SIGKILL')
  rmSync(home, { recursive: true, force: true })
}

const failed = results.filter((isGood) => !isGood).length
console.log(`the first hour took ${Math.round(tookMs / 1000)} s`)
console.log(`${results.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

async function step(name, act) {
  const startedAt = performance.now()
  let problem
  try {
    await act()
  } catch (error) {
    problem = [error.message, error.stdout, error.stderr].filter(Boolean).join('\n')
  }
  results.push(problem === undefined)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`${problem === undefined ? 'ok    ' : 'FAILED'} ${seconds.padStart(5)} s  ${name}`)
  if (problem !== undefined) console.log(problem.replace(/^/gm, '        '))
}

function expect(found, pattern) {
  if (!pattern.test(found)) throw new Error(`expected ${pattern}, found:\n${found}`)
}

function change(file, before, after) {
  const old = readFileSync(file, 'utf8')
  if (!old.includes(before)) throw new Error(`${file} has no ${before}`)
  writeFileSync(file, old.replace(before, after))
}

function at(cwd, command, args, environment = {}) {
  return run(command, args, { cwd, env: { ...process.env, ...environment }, maxBuffer: 16_777_216 })
}

/** What `npx ai-prompt-shell` runs, without asking a registry. */
function npx(...args) {
  return [process.execPath, [join(home, 'node_modules/ai-prompt-shell/dist/main.js'), ...args]]
}

function shell(...args) {
  return at(home, ...npx(...args))
}

/** A command that is to fail: its exit code, and what it printed. */
async function failing(...args) {
  const outcome = await shell(...args).catch((error) => error)
  if (outcome.code === undefined) throw new Error(`${args.join(' ')} did not fail`)
  return outcome
}

function greet(name) {
  return shell('render', 'hello.greeting', '--catalog', 'my-prompts', '-v', `name=${name}`)
}

async function serve() {
  const port = await freePort()
  const [command, args] = npx('my-prompts', '--port', String(port))
  const child = spawn(command, args, { cwd: home, env: { ...process.env, LOG_FORMAT: 'text' } })
  running.push(child)
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    served += piece
  })
  url = `http://127.0.0.1:${port}`
  await until(() => served.includes('Model'))
  expect(
    served,
    new RegExp(`Page +${url}\n +API +${url}/docs\n +Catalog +my-prompts: 2 prompts, .*\n +Model +echo`),
  )
}

async function demoModel() {
  const file = join(home, 'node_modules/ai-prompt-shell/examples/tool-server/model.mjs')
  const child = spawn(process.execPath, [file], { env: { ...process.env, PORT: '0' } })
  running.push(child)
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  return /http:\S+/.exec(line)[0]
}

function render(variables) {
  return fetch(`${url}/api/render/prompts/hello.greeting`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ variables }),
  })
}

async function text(response) {
  return (await response.json()).rendered_prompt
}

async function program(code) {
  writeFileSync(join(home, 'program.mjs'), code)
  expect((await at(home, process.execPath, ['program.mjs'])).stdout, /Welcome Alan to Lovelace Ltd/)
}

async function until(isSo) {
  const end = performance.now() + READY_TIMEOUT_MS
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`waited in vain; the service printed:\n${served}`)
    await sleep(50)
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}
