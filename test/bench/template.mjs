/**
 * How fast templates compile and render: `npm run bench:template [-- --processes 5] [-- --quick] [-- --json]`.
 *
 * Every engine must give the same text first. Then all engines take turns in short rounds, and the figures are
 * medians over the rounds. Where code and data happen to lie in memory changes short renders by a tenth for as long
 * as a process runs, so that several processes measure, one after the other, and the figures are the medians of
 * theirs. `--verify` stops before measuring; `--cpu` counts processor time, helper threads included,
 * for a machine that others use too. Ratios in one run are what counts; the absolute figures belong to the machine.
 *
 * `--other DIRECTORY` compares this engine with another build of it instead, in turns, with this many `--rounds`;
 * `--only short,history` measures these prompts alone.
 */
import { execFile, execSync } from 'node:child_process'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { compareInTurns } from './in-turns.mjs'
import { ENGINES } from './template/engines.mjs'
import { measureEventLoop } from './template/event-loop.mjs'
import { startGoSide } from './template/go-side.mjs'
import { PROMPTS } from './template/prompts.mjs'

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    verify: { type: 'boolean', default: false },
    cpu: { type: 'boolean', default: false },
    processes: { type: 'string' },
    other: { type: 'string' },
    rounds: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
  },
})
const ROUNDS = flags.quick ? 1 : 11
const ROUND_MS = flags.quick ? 2 : 40
const PROCESSES = Number(flags.processes ?? (flags.quick ? 1 : 5))
const MODES = ['bytes', 'string', 'compile']
const GO = 'real Go'
const TITLES = {
  bytes: 'render to UTF-8 bytes, µs',
  string: 'render to a string, µs',
  compile: 'parse, compile and first render, µs',
}

const encoder = new TextEncoder()
/** Written over by every render, as Go's buffer is. */
const target = new Uint8Array(1 << 20)
let sink = 0

if (flags.other !== undefined) {
  const report = await compareInTurns({
    script: join(import.meta.dirname, 'template/one-build.mjs'),
    args: [...flags.only.split(',').filter(Boolean), ...(flags.cpu ? ['--cpu'] : [])],
    other: flags.other,
    rounds: Number(flags.rounds),
    show: (nanoseconds) => `${(nanoseconds / 1000).toPrecision(3)} µs`,
  })
  console.log(report)
  process.exit(0)
}

const go = await startGoSide(PROMPTS)
try {
  await verify()
  if (!flags.verify) await measure()
} finally {
  go?.close()
}

async function measure() {
  const runs = PROCESSES > 1 ? await measureInProcesses() : [await measureHere()]
  const results = mediansOf(runs.map((run) => run.results))
  const summary = {
    machine: machine(),
    processes: PROCESSES,
    rounds: ROUNDS,
    results,
    rivals: mediansOf(runs.map((run) => toFastestRival(run.results))),
    ratios: ratiosOf(results),
    eventLoop: worstOf(runs.map((run) => run.eventLoop)),
  }
  console.log(flags.json ? JSON.stringify(summary, null, 2) : report(summary))
}

async function measureHere() {
  const results = await measureAll()
  const eventLoop = await measureEventLoop({ durationMs: flags.quick ? 300 : 4000 })
  if (!(sink > 0)) throw new Error('nothing was rendered')
  return { results, eventLoop }
}

/** The same in processes of their own, one after the other. */
async function measureInProcesses() {
  const more = ['quick', 'cpu'].filter((name) => flags[name]).map((name) => `--${name}`)
  const runs = []
  for (let i = 0; i < PROCESSES; i++) {
    const args = [import.meta.filename, '--processes=1', '--json', ...more]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    runs.push(JSON.parse(stdout))
  }
  return runs
}

/** mode → prompt → our time over that of the fastest other engine, within one process. */
function toFastestRival(results) {
  const ratio = ({ ours, 'by hand': _, [GO]: __, ...rivals }) => ours / Math.min(...Object.values(rivals))
  const each = (object, of) =>
    Object.fromEntries(Object.entries(object).map(([name, part]) => [name, of(part)]))
  return each(results, (byPrompt) => each(byPrompt, ratio))
}

function worstOf(delays) {
  const worst = (name) => Math.max(...delays.map((delay) => delay[name]))
  const rendered = delays.reduce((sum, delay) => sum + delay.rendered, 0)
  return { p99: worst('p99'), max: worst('max'), rendered }
}

/** Objects of one shape become one, whose numbers are the medians. */
function mediansOf(parts) {
  if (typeof parts[0] === 'number') return median(parts)
  const entries = Object.keys(parts[0]).map((name) => [name, mediansOf(parts.map((part) => part[name]))])
  return Object.fromEntries(entries)
}

/** Every engine, Go included, must print the same text for every prompt. */
async function verify() {
  for (const [name, prompt] of Object.entries(PROMPTS)) {
    const expected = prompt.byHand(prompt.data)
    const outputs = Object.entries(ENGINES).flatMap(([engine, compile]) => {
      const render = compile(prompt)
      return [render(prompt.data), bytesAsText(render, prompt.data)].map((output) => [engine, output])
    })
    if (go) outputs.push([GO, await go.output(name)])
    for (const [engine, output] of outputs) {
      if (output !== expected)
        throw new Error(`${engine} differs on ${name}:\n${firstDifference(output, expected)}`)
    }
  }
  if (!flags.json) {
    const names = [...Object.keys(ENGINES), ...(go ? [GO] : [])].join(', ')
    console.log(`verified: same output of ${names} for ${Object.keys(PROMPTS).length} prompts`)
  }
}

function bytesAsText(render, data) {
  return Buffer.from(target.buffer, 0, bytesOperation(render, data)()).toString()
}

/** Writes a render's bytes over the target, as a user of an engine that only makes strings would where it does not. */
function bytesOperation(render, data) {
  if (render.into) return () => render.into(data, target)
  return () => encoder.encodeInto(render(data), target).written
}

function firstDifference(output, expected) {
  let at = 0
  while (output[at] === expected[at]) at++
  const around = (text) => JSON.stringify(text.slice(Math.max(0, at - 30), at + 50))
  return `  at ${at}: ${around(output)}\n  expected: ${around(expected)}`
}

/** mode → prompt → engine → nanoseconds per operation, the median of the rounds. */
async function measureAll() {
  const results = {}
  for (const mode of MODES) {
    results[mode] = {}
    for (const [name, prompt] of Object.entries(PROMPTS)) {
      results[mode][name] = await measurePrompt(mode, name, prompt)
    }
  }
  return results
}

async function measurePrompt(mode, name, prompt) {
  const runners = Object.entries(ENGINES)
    .filter(([engine]) => mode !== 'compile' || engine !== 'by hand')
    .map(([engine, compile]) => {
      const operation = operationOf(mode, compile, prompt)
      return { engine, run: (iterations) => timed(operation, iterations), iterations: 0, samples: [] }
    })
  if (go)
    runners.push({
      engine: GO,
      run: (count) => go.measure(name, mode, count, flags.cpu),
      iterations: 0,
      samples: [],
    })
  for (const runner of runners) runner.iterations = await calibrate(runner.run)
  for (let round = 0; round < ROUNDS; round++) {
    for (const runner of inOrderOf(round, runners)) {
      // What ran before leaves caches and the collector as it needed them: the first bit is not counted.
      await runner.run(Math.ceil(runner.iterations / 10))
      runner.samples.push(await runner.run(runner.iterations))
    }
  }
  return Object.fromEntries(runners.map(({ engine, samples }) => [engine, median(samples)]))
}

/** Another order each round, with other neighbours: by steps of a size that meets everybody once. */
function inOrderOf(round, runners) {
  const { length } = runners
  const steps = runners
    .map((_, index) => index + 1)
    .filter((step) => greatestCommonDivisor(step, length) === 1)
  const step = steps[round % steps.length]
  return runners.map((_, turn) => runners[(round + turn * step) % length])
}

function greatestCommonDivisor(a, b) {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}

function operationOf(mode, compile, prompt) {
  const { data } = prompt
  // Some engines, ours among them, generate code at the first render: it belongs to compiling.
  if (mode === 'compile') return () => compile(prompt)(data).length
  const render = compile(prompt)
  return mode === 'bytes' ? bytesOperation(render, data) : () => render(data).length
}

function timed(operation, iterations) {
  const startedAt = nanoseconds()
  for (let i = 0; i < iterations; i++) sink += operation()
  return (nanoseconds() - startedAt) / iterations
}

function nanoseconds() {
  if (!flags.cpu) return Number(process.hrtime.bigint())
  const { user, system } = process.cpuUsage()
  return (user + system) * 1000
}

/** Warms up and finds how many iterations fill a round. */
async function calibrate(run) {
  let iterations = 1
  for (let spent = 0; spent < ROUND_MS; ) {
    spent = ((await run(iterations)) * iterations) / 1e6
    if (spent < ROUND_MS) iterations *= 2
  }
  return Math.max(1, iterations >> 1)
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The geometric mean of our time over another's, over the prompts. */
function ratiosOf(results) {
  return Object.fromEntries(
    Object.entries(results).map(([mode, byPrompt]) => {
      const rows = Object.values(byPrompt)
      const others = Object.keys(rows[0]).filter((engine) => engine !== 'ours')
      const ratio = (other) => geometricMean(rows.map((row) => row.ours / row[other]))
      return [mode, Object.fromEntries(others.map((other) => [other, ratio(other)]))]
    }),
  )
}

function geometricMean(numbers) {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)
}

function machine() {
  const model = cpus()[0]?.model ?? 'unknown'
  return { cpu: `${cpus().length} × ${model}`, node: process.version, go: go?.version, commit: commit() }
}

function commit() {
  try {
    return execSync('git rev-parse --short HEAD', { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return 'unknown'
  }
}

function report({ machine: { cpu, node, go: goVersion }, results, rivals, ratios, eventLoop }) {
  const often = `medians of processes × rounds: ${PROCESSES} × ${ROUNDS}`
  const lines = [
    `${cpu}, Node ${node}, ${goVersion ?? 'without Go'}; ${often}${flags.cpu ? ', processor time' : ''}`,
  ]
  for (const [mode, byPrompt] of Object.entries(results))
    lines.push('', ...table(mode, byPrompt, rivals[mode], ratios[mode]))
  const { p99, max, rendered } = eventLoop
  lines.push(
    '',
    `event-loop delay while ${rendered} hostile renders ran: p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms`,
  )
  return lines.join('\n')
}

function table(mode, byPrompt, rivals, ratios) {
  const engines = Object.keys(Object.values(byPrompt)[0])
  const row = (cells) => `| ${cells.join(' | ')} |`
  return [
    row([TITLES[mode], ...engines, 'ours ÷ fastest rival']),
    row(['---', ...engines.map(() => '--:'), '--:']),
    ...Object.entries(byPrompt).map(([name, times]) =>
      row([
        PROMPTS[name].title,
        ...engines.map((engine) => microseconds(times[engine])),
        rivals[name].toFixed(2),
      ]),
    ),
    row([
      '**ours ÷ theirs, geometric mean**',
      ...engines.map((engine) => (ratios[engine] ?? 1).toFixed(3)),
      '',
    ]),
  ]
}

function microseconds(nanoseconds) {
  return (nanoseconds / 1000).toPrecision(3)
}
