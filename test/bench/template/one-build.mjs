/**
 * Times one build of the engine in a process of its own: `one-build.mjs DIRECTORY [PROMPT…] [--cpu]` prints mode →
 * prompt → nanoseconds, of all prompts unless some are named; `--cpu` counts processor time, helper threads included.
 * `../in-turns.mjs` compares two of them.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { PROMPTS } from './prompts.mjs'

const WARM_MS = 60
const ROUND_MS = 5
const ROUNDS = 15

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cpu: { type: 'boolean', default: false } },
})
const [directory, ...only] = positionals
const { compile } = await import(pathToFileURL(join(directory, 'dist/template/index.js')).href)

/** What users print beside the prompts of the benchmark, each with most of its time in one thing. */
const MORE = {
  lists: {
    go: '{{range .files}}{{printf "%v of %d in %s" .tags .size .path}}\n{{end}}',
    data: {
      files: Array.from({ length: 20 }, (_, i) => ({ path: `src/${i}.ts`, size: i, tags: ['a', `b${i}`] })),
    },
  },
  objects: {
    go: '{{range .users}}{{.}}\n{{end}}',
    data: { users: Array.from({ length: 20 }, (_, i) => ({ name: `user ${i}`, age: i, tags: ['a', 'b'] })) },
  },
}

/** Those of some prompts that are to be measured. */
const chosen = (prompts) =>
  Object.entries(prompts).filter(([name]) => only.length === 0 || only.includes(name))

const target = new Uint8Array(1 << 20)
/** What the service gives to each render. */
const serviceOptions = () => ({
  output: 'json',
  missingKey: 'guarded',
  isJson: true,
  deadlineMs: 5000,
  onWarning: () => {},
  spending: { made: 0, written: 0 },
})
const MODES = {
  bytes: (template, data) => () => template.renderInto(data, target),
  string: (template, data) => () => template.renderSync(data).length,
  service: (template, data) => () => template.execute(data, serviceOptions()).length,
}

let sink = 0
const results = {}
for (const [mode, operationOf] of Object.entries(MODES)) {
  results[mode] = {}
  for (const [name, { go, data }] of chosen({ ...PROMPTS, ...MORE })) {
    results[mode][name] = nanosecondsOf(operationOf(compile(go), data))
  }
}
results.compile = {}
for (const [name, { go, data }] of chosen(PROMPTS)) {
  results.compile[name] = nanosecondsOf(() => compile(go).renderSync(data).length)
}
if (!(sink > 0)) throw new Error('nothing was rendered')
console.log(JSON.stringify(results))

/** The fastest of many short rounds, once the code is warm: what others do on the machine only makes it slower. */
function nanosecondsOf(operation) {
  let iterations = 1
  while (timed(operation, iterations) * iterations < WARM_MS * 1e6) iterations *= 2
  const each = Math.ceil((iterations * ROUND_MS) / WARM_MS)
  return Math.min(...Array.from({ length: ROUNDS }, () => timed(operation, each)))
}

function timed(operation, iterations) {
  const startedAt = now()
  for (let i = 0; i < iterations; i++) sink += operation()
  return (now() - startedAt) / iterations
}

/** In nanoseconds. */
function now() {
  if (!values.cpu) return Number(process.hrtime.bigint())
  const { user, system } = process.cpuUsage()
  return (user + system) * 1000
}
