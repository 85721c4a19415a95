// Builds the image without a container: runs what the Dockerfile says, line by line, each stage in a folder of its
// own, then starts the result and asks it. Ends with one line: N passed, N failed.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const READY_TIMEOUT_MS = 60_000
const scratch = mkdtempSync(join(tmpdir(), 'aps-image-'))
const results = []

try {
  const stages = readStages(readFileSync(join(root, 'Dockerfile'), 'utf8'))
  for (const stage of stages) check(`stage ${stage.name}`, () => buildStage(stage, stages))
  const image = stages.at(-1)
  if (results.every((passed) => passed)) await run(image)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
const passed = results.filter(Boolean).length
console.log(`\n${passed} passed, ${results.length - passed} failed`)
process.exitCode = passed === results.length ? 0 : 1

/** Stages as names, places and instructions; comments go, and continued lines are joined. */
function readStages(text) {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
  const stages = []
  for (const line of lines) {
    const [, instruction, rest] = /^(\w+)\s+(.*)$/.exec(line)
    // Which images the stages begin with is of no interest here: Node is this one.
    if (instruction === 'ARG') continue
    if (instruction === 'FROM') {
      const name = / AS (\S+)$/i.exec(rest)?.[1] ?? `${stages.length}`
      stages.push({ name, root: join(scratch, name), directory: '/', environment: {}, instructions: [] })
    } else stages.at(-1).instructions.push([instruction, rest])
  }
  return stages
}

function buildStage(stage, stages) {
  for (const [instruction, rest] of stage.instructions) {
    console.log(`[${stage.name}] ${instruction} ${rest}`)
    if (instruction === 'WORKDIR') stage.directory = rest
    mkdirSync(inStage(stage), { recursive: true })
    if (instruction === 'ENV') Object.assign(stage.environment, readEnvironment(rest))
    if (instruction === 'COPY') copy(stage, stages, rest)
    if (instruction === 'RUN') runShell(stage, rest)
    if (instruction === 'ENTRYPOINT') stage.entryPoint = JSON.parse(rest)
    // Exec form: the image has no shell.
    if (instruction === 'HEALTHCHECK') stage.healthCheck = JSON.parse(rest.slice(rest.indexOf('[')))
    if (instruction === 'USER') stage.user = rest
  }
}

function inStage(stage, path = '.') {
  return join(stage.root, path.startsWith('/') ? path : join(stage.directory, path))
}

function readEnvironment(text) {
  return Object.fromEntries(text.split(/\s+/).map((pair) => pair.split(/=(.*)/s).slice(0, 2)))
}

/** What .dockerignore leaves out cannot be copied; its own patterns are names and `*.ext`. */
function copy(stage, stages, rest) {
  const words = rest.split(/\s+/)
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
  const paths = words.filter((word) => !word.startsWith('--'))
  const target = paths.pop()
  const source = stages.find(({ name }) => name === from)
  for (const path of paths) {
    const place = source === undefined ? join(root, path) : inStage(source, path)
    if (source === undefined && isIgnored(path)) throw new Error(`.dockerignore leaves out ${path}`)
    const name = /\/$/.test(target) ? join(target, path.split('/').at(-1)) : target
    mkdirSync(dirname(inStage(stage, name)), { recursive: true })
    cpSync(place, inStage(stage, name), { recursive: true })
  }
}

function isIgnored(path) {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean)
  return patterns.some((pattern) =>
    pattern.startsWith('*') ? path.endsWith(pattern.slice(1)) : path.split('/')[0] === pattern,
  )
}

function runShell(stage, command) {
  const { status } = spawnSync('sh', ['-ec', command], {
    cwd: inStage(stage),
    env: { ...process.env, ...stage.environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error(`${command} ended with ${status}`)
}

/** Starts the last stage as its entry point says, with nothing of this checkout in reach. */
async function run(stage) {
  const port = await freePort()
  const [, ...args] = stage.entryPoint
  const environment = { ...stage.environment, PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port) }
  const before = filesOf(stage.root)
  const child = spawn(process.execPath, args, {
    cwd: inStage(stage),
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  try {
    await checkAnswer('it is healthy', () => answerOf(`${url}/healthz`))
    await checkAnswer("it serves the tour's first render", async () => {
      const { status, rendered_prompt: prompt } = await answerOf(
        `${url}/api/render/prompts/evaluator.evaluate_quality`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"variables":{}}',
        },
      )
      if (status !== 'success' || !JSON.stringify(prompt).includes('Evaluate t'))
        throw new Error(`it answers ${JSON.stringify(status)}`)
    })
    await checkAnswer('it describes its interface', async () => {
      const { openapi, paths } = await answerOf(`${url}/openapi.json`)
      if (!String(openapi).startsWith('3.1') || !('/api/render' in paths))
        throw new Error(`it says ${openapi}`)
    })
    check('its health check finds it healthy, and nobody unhealthy', () => {
      const [, ...probe] = stage.healthCheck
      const statusAt = (PORT) => spawnSync(process.execPath, probe, { env: { ...environment, PORT } }).status
      const statuses = [statusAt(String(port)), statusAt('1')]
      if (statuses.join() !== '0,1') throw new Error(`it ends with ${statuses}`)
    })
    check('it runs as nobody', () => {
      if (!/^[1-9]\d*:[1-9]\d*$/.test(stage.user)) throw new Error(`its user is ${stage.user}`)
    })
    check('it writes nothing into its image, which may be read only', () => {
      const after = filesOf(stage.root)
      const written = [...after].filter(([file, time]) => before.get(file) !== time).map(([file]) => file)
      if (written.length > 0 || after.size !== before.size) throw new Error(`it wrote ${written}`)
    })
    check('it has no development packages', () => {
      if (existsSync(inStage(stage, 'node_modules/typescript'))) throw new Error('typescript is there')
    })
  } finally {
    child.kill('SIGTERM')
  }
  const [code] = await ended
  check('SIGTERM ends it with 0', () => {
    if (code !== 0) throw new Error(`it ends with ${code}`)
  })
}

/** When each file was written. */
function filesOf(folder) {
  const names = readdirSync(folder, { recursive: true })
  return new Map(names.map((name) => [name, lstatSync(join(folder, name)).mtimeMs]))
}

/** The answer, as soon as somebody listens. */
async function answerOf(url, options) {
  const deadline = Date.now() + READY_TIMEOUT_MS
  for (;;) {
    try {
      const response = await fetch(url, options)
      const body = await response.json()
      if (response.ok) return body
      throw new Error(`${response.status} ${JSON.stringify(body)}`)
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((wake) => setTimeout(wake, 200))
    }
  }
}

function check(name, look) {
  try {
    look()
    report(name)
  } catch (error) {
    report(name, error)
  }
}

async function checkAnswer(name, look) {
  try {
    await look()
    report(name)
  } catch (error) {
    report(name, error)
  }
}

function report(name, error) {
  results.push(error === undefined)
  console.log(error === undefined ? `✓ ${name}` : `✗ ${name}: ${error.message}`)
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
}
