// Tests, tapes, impact and recording: npm run bench:proof [-- --rounds 5]
// 1,000 render tests in a process of their own, with a processor's time beside the clock's; impact of 1,000 x 2 renders,
// cold (its own process) and warm; replayed answers a second, from the upstream alone and over HTTP; what recording adds.

import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { cpuMicros } from './cpu-micros.mjs'
import { freePort } from './free-port.mjs'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } })
const rounds = Number(values.rounds)
const dist = new URL('../../dist/', import.meta.url)
const MAIN = resolve(import.meta.dirname, '../../dist/main.js')
const TESTS = 1_000
const PROMPTS = 100
const folder = mkdtempSync(join(tmpdir(), 'bench-proof-'))

/** Prints the process' own processor time, in microseconds, as the last line of its errors. */
const COUNTED = `data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();process.stderr.write('\\n'+(user+system))})`

const write = (path, text) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

for (let index = 0; index < PROMPTS; index += 1)
  write(
    `templates/a/p${index}.yaml`,
    `userPrompt: |
  You review change ${index} of {{.variables.name}}.
  {{range .variables.items}}- {{.}}
  {{end}}{{if .variables.loud}}Say it aloud.{{end}}
parameters:
  - { name: name, type: string }
  - { name: items, type: array }
  - { name: loud, type: boolean, required: false }
`,
  )
for (let file = 0; file < 10; file += 1)
  write(
    `tests/t${file}.test.yaml`,
    `tests:\n${Array.from({ length: TESTS / 10 }, (_, index) => {
      const number = file * (TESTS / 10) + index
      return `  - name: test ${number}
    prompt: a.p${index % PROMPTS}
    vars: { name: "user ${number}", items: [one, two, three], loud: ${number % 2 === 0} }
    assert: [{ type: contains, value: "user ${number}" }, { type: tokens, threshold: 400 }, { type: snapshot }]
`
    }).join('')}`,
  )
const SETS = Array.from({ length: TESTS }, (_, index) => ({
  name: `user ${index}`,
  items: [1, 2, 3, 4, 5].map((each) => `item ${each} of ${index}`),
  loud: index % 2 === 0,
}))
write('sets.jsonl', SETS.map((set) => `${JSON.stringify(set)}\n`).join(''))
write(
  'draft.yaml',
  'userPrompt: |\n  You carefully review the change of {{.variables.name}}.\n  {{range .variables.items}}- {{.}}\n  {{end}}\nparameters:\n  - { name: name, type: string }\n  - { name: items, type: array }\n  - { name: loud, type: boolean, required: false }\n',
)

/** Runs a command: milliseconds by the clock and of processor time. */
async function command(...args) {
  const startedAt = performance.now()
  const outcome = await promisify(execFile)(process.execPath, ['--import', COUNTED, MAIN, ...args], {
    maxBuffer: 1e8,
    env: { PATH: process.env.PATH },
  }).catch((error) => error)
  if (outcome.code !== undefined && outcome.code !== 0) throw new Error(outcome.stdout + outcome.stderr)
  return {
    ms: performance.now() - startedAt,
    cpuMs: Number(outcome.stderr.trim().split('\n').at(-1)) / 1_000,
  }
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1]
const show = (name, figures, goal) => console.log(`| ${name} | ${figures} | ${goal} |`)
const times = (runs) =>
  `${median(runs.map(({ ms }) => ms)).toFixed(0)} ms, ${median(runs.map(({ cpuMs }) => cpuMs)).toFixed(0)} ms of processor time`

async function repeated(work) {
  const runs = []
  for (let round = 0; round < rounds; round += 1) runs.push(await work())
  return runs
}

async function benchTests() {
  await command('test', folder, '--update')
  show(
    `${TESTS} render tests, whole process`,
    times(await repeated(() => command('test', folder))),
    '2,000 ms',
  )
}

/** In one process: the first has to read the encoding of tokens and is not compiled by V8 yet. */
async function benchImpact() {
  const { openShell } = await import(new URL('open-shell.js', dist))
  const { loadConfig } = await import(new URL('config.js', dist))
  const { silentLogger } = await import(new URL('util/telemetry/logger.js', dist))
  const { unguarded } = await import(new URL('util/slices/slice.js', dist))
  const { impactOn } = await import(new URL('proof/impact.js', dist))
  const { withTexts } = await import(new URL('proof/changed-prompt.js', dist))
  const { templateFields } = await import(new URL('registry/template-fields.js', dist))
  const { headIn } = await import(new URL('prompts/find-prompt.js', dist))
  const shell = await openShell(loadConfig({ environment: { CATALOG_DIR: folder } }), {
    logger: silentLogger(),
    guard: unguarded,
  })
  await shell.registry.whenReady()
  const { registry, renderer } = shell
  const prompt = registry.current.prompts.get('a.p0')
  const [field] = templateFields(prompt.definition)
  const changed = withTexts(
    prompt,
    new Map([[field, field.text.replace('You review', 'You carefully check')]]),
    'x',
  )
  const sets = SETS.map((variables, index) => ({
    variables,
    environs: {},
    source: 'given',
    name: `set ${index}`,
  }))
  const side = (entry) => ({ registry, renderer, find: () => headIn(registry.current, entry) })
  const measured = []
  for (let round = 0; round <= rounds; round += 1) {
    const before = process.cpuUsage()
    const startedAt = performance.now()
    const { differ } = await impactOn('a.p0', sets, side(prompt), side(changed))
    if (differ !== TESTS) throw new Error(`${differ} differ`)
    const { user, system } = process.cpuUsage(before)
    measured.push({ ms: performance.now() - startedAt, cpuMs: (user + system) / 1_000 })
  }
  await shell.close()
  show('impact of 1,000 × 2 renders, the first in a process', times(measured.slice(0, 1)), '200 ms')
  show('impact of 1,000 × 2 renders, later ones', times(measured.slice(1)), '200 ms')
  const draft = join(folder, 'draft.yaml')
  const sets2 = join(folder, 'sets.jsonl')
  show(
    '`impact` as a command, with the start of the process',
    times(
      await repeated(() => command('impact', 'a.p0', '--draft', draft, '--catalog', folder, '--vars', sets2)),
    ),
    '',
  )
}

const REQUEST = (index) => ({ model: 'm', messages: [{ role: 'user', content: `question ${index}` }] })

async function benchReplay() {
  const { createTapeUpstream } = await import(new URL('llm/tapes/tape-upstream.js', dist))
  const { systemClock: clock } = await import(new URL('util/time/clock.js', dist))
  const tapes = join(folder, 'tapes')
  const body = (text) => ({
    ...{ id: 'x', object: 'chat.completion', created: 1, model: 'm' },
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
  })
  const common = {
    folder: tapes,
    ignore: [],
    secrets: ['a-key-that-is-secret'],
    keepsTimes: false,
    clock,
    name: 'bench',
  }
  const call = { requestId: 'bench', signal: new AbortController().signal }
  const of = {
    complete: async () => ({ body: body('an answer '.repeat(20)), bytes: Buffer.alloc(0), usage: undefined }),
  }
  const recording = createTapeUpstream({ ...common, mode: 'record', of })
  for (let index = 0; index < 100; index += 1) await recording.complete(REQUEST(index), call)
  const replaying = createTapeUpstream({ ...common, mode: 'replay', of: undefined })
  const alone = []
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage()
    for (let index = 0; index < 10_000; index += 1) await replaying.complete(REQUEST(index % 100), call)
    const { user, system } = process.cpuUsage(before)
    alone.push(10_000 / ((user + system) / 1e6))
  }
  show(
    'replayed answers, the upstream alone',
    `${median(alone).toFixed(0)} per second of processor time`,
    '5,000',
  )

  const port = await freePort()
  write(
    'config.yaml',
    `tapes: { ci: { replay: ${JSON.stringify(tapes)} } }\nmodels: [{ match: "*", upstream: ci }]\n`,
  )
  const service = spawn(process.execPath, [MAIN], {
    env: {
      ...{
        PATH: process.env.PATH,
        PORT: String(port),
        CATALOG_DIR: folder,
        LOG_LEVEL: 'error',
        WARM_UP: 'false',
      },
      ...{ CONFIG_FILE: join(folder, 'config.yaml'), MAX_LOOP_DELAY_MS: '0' },
    },
    stdio: 'ignore',
  })
  try {
    const { Pool } = await import('undici')
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 32, pipelining: 1 })
    const ask = async (index) => {
      const { statusCode, body: answer } = await pool.request({
        ...{ path: '/v1/chat/completions', method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify(REQUEST(index % 100)),
      })
      const text = await answer.text()
      if (statusCode !== 200) throw new Error(text)
    }
    for (let attempt = 0; ; attempt += 1) {
      try {
        await ask(0)
        break
      } catch (error) {
        if (attempt > 200) throw error
        await new Promise((done) => setTimeout(done, 50))
      }
    }
    const many = async (count) => {
      let next = 0
      const worker = async () => {
        while (next < count) await ask(next++)
      }
      await Promise.all(Array.from({ length: 32 }, worker))
    }
    await many(5_000)
    const perSecond = []
    const perCpu = []
    for (let round = 0; round < rounds; round += 1) {
      const before = cpuMicros(service.pid)
      const startedAt = performance.now()
      await many(10_000)
      perSecond.push(10_000 / ((performance.now() - startedAt) / 1_000))
      perCpu.push(10_000 / ((cpuMicros(service.pid) - before) / 1e6))
    }
    await pool.close()
    show(
      'replayed answers over HTTP, 32 connections, client beside it',
      `${median(perSecond).toFixed(0)} a second, ${median(perCpu).toFixed(0)} per second of the service's processor time`,
      '5,000',
    )
  } finally {
    service.kill('SIGKILL')
  }
}

async function benchRecording() {
  const { VariableRecorder, createRecordingRenderer, RECORDED } = await import(
    new URL('prompts/recorded-variables.js', dist)
  )
  const { createMemoryState } = await import(new URL('state/memory-state.js', dist))
  const { systemClock: clock } = await import(new URL('util/time/clock.js', dist))
  const state = createMemoryState({ clock, leaseMs: 1e4, ttlMs: 1e6 })
  await state.open()
  const recorder = new VariableRecorder({ perPrompt: 200, share: 1, ttlMs: 1e6, now: Date.now, onLost() {} })
  recorder.keepIn(state.items(RECORDED))
  const none = { render() {}, renderJson() {}, trace() {}, knows() {} }
  const recording = createRecordingRenderer(none, recorder)
  const parameters = { type: 'object', properties: { name: { type: 'string' }, pin: { 'x-secret': true } } }
  const request = (index) => ({
    ...{ prompt: { id: `a.p${index % PROMPTS}` }, definition: { parameters }, isNew: true },
    snapshot: { tools: new Map() },
    variables: SETS[index % TESTS],
  })
  const requests = Array.from({ length: 20_000 }, (_, index) => request(index))
  const measured = []
  for (let round = 0; round < rounds * 2; round += 1) {
    const before = process.cpuUsage()
    for (const each of requests) recording.renderJson(each, undefined)
    await recorder.flush()
    const { user, system } = process.cpuUsage(before)
    measured.push((user + system) / requests.length)
  }
  await recorder.close()
  await state.close()
  show(
    'recording a set, with what is written each second',
    `${median(measured.slice(2)).toFixed(2)} µs of processor time`,
    '5 µs',
  )
  show('where nothing is recorded', 'the renderer is the plain one: nothing', 'nothing')
}

try {
  console.log('| what | measured | goal |')
  console.log('| --- | --- | --- |')
  await benchTests()
  await benchImpact()
  await benchReplay()
  await benchRecording()
} finally {
  rmSync(folder, { recursive: true })
}
