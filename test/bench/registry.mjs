// What a change in Redis costs and how long it takes to be served. Starts its own redis-server on loopback.
// Run by `npm run bench:registry`; `--million` adds the size of a million environs; `--other DIRECTORY` compares this
// build with another one, in turns, in this many `--rounds` pairs of processes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Redis } from 'ioredis'
import { comparePairs, figuresFrom } from './in-turns.mjs'

const CHANGES = 2_000
/** To one build before it is the other's turn, where two share a process. */
const CHANGES_TOGETHER = 100
/** To each of them: a hundredth is then some sixty, most of which met a collection or another program. */
const CHANGES_IN_TURNS = 8_000
/** The first ones run code that was not compiled yet. */
const WARM_TURNS = 10
/** Changes with nothing else going on. Twice as many are as many as a registry fetches before it waits for more to come. */
const SWAPS = 1_000
/** Registries in a row whose changes are measured where two builds are compared. */
const SWAPPED_REGISTRIES = 7
const RENDERS_PER_SECOND = 500
const quiet = { info() {}, warn() {} }
const SMALL = { prompts: 100, tools: 100, environs: 10_000 }

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    million: { type: 'boolean' },
    size: { type: 'string' },
    url: { type: 'string' },
    other: { type: 'string' },
    rounds: { type: 'string', default: '15' },
  },
})
const openRegistry = await opening(positionals[0] ?? resolve(import.meta.dirname, '../..'))

if (!isMainThread) await populateHere(workerData)
else if (flags.size !== undefined) await showLoad(flags.url, JSON.parse(flags.size))
else if (flags.other !== undefined) console.log(await inTurns(flags.other, Number(flags.rounds)))
else if (positionals.length === 2) console.log(JSON.stringify(await changesInTurns(positionals)))
else if (positionals.length === 1) console.log(JSON.stringify(await figures()))
else await main()

/** How registries of a build are opened. */
async function opening(build) {
  const built = (file) => import(pathToFileURL(join(build, 'dist', file)).href)
  const { createRegistry } = await built('registry/create-registry.js')
  const { createRedisStore } = await built('store/redis-store.js')
  const { createTemplateEngine } = await built('prompts/create-template-engine.js')
  const engine = createTemplateEngine(1 << 20)
  return async (url) => {
    const registry = createRegistry({ store: createRedisStore({ url }), engine, log: quiet })
    await registry.whenReady()
    return registry
  }
}

function inTurns(other, rounds) {
  const show = (figure) => (figure < 1000 ? figure.toPrecision(3) : figure.toFixed(0))
  const measure = (...builds) =>
    figuresFrom({ script: import.meta.filename, args: builds, nodeFlags: ['--expose-gc'] })
  const measurePair = async ([first, second]) => {
    const changes = await measure(first, second)
    return [
      { ...changes[0], ...(await measure(first)) },
      { ...changes[1], ...(await measure(second)) },
    ]
  }
  return comparePairs(measurePair, { other, rounds, show })
}

/**
 * SET → next render of two builds in one process, in turns: half of it is the time until Redis and this process have the
 * processor, which differs from one process to the next by a tenth and more.
 */
async function changesInTurns(builds) {
  const server = await startServer()
  try {
    await populate(server.url, { prompts: 1, tools: 1, environs: 100 })
    const opens = await Promise.all(builds.map(opening))
    const order = [...opens.entries()]
    const times = builds.map(() => [])
    const turns = CHANGES_IN_TURNS / CHANGES_TOGETHER
    for (let turn = 0; turn < turns; turn += 1) {
      for (const [side, open] of order) {
        // Only one of them is there at a time: a registry reads what is written for the other one.
        const registry = await open(server.url)
        const measured = await timesOfChanges(registry, server.url, CHANGES_TOGETHER)
        // The first ones run code that was not compiled yet.
        if (turn >= WARM_TURNS) times[side].push(...measured.times)
        await registry.close()
      }
      // So that neither build is always the first.
      order.reverse()
    }
    return times.map((each) => ({ 'SET → next render, ms': percentilesOf(each) }))
  } finally {
    server.child.kill()
  }
}

/** What two builds are compared by beside that. */
async function figures() {
  const server = await startServer()
  try {
    const { ms, cpuMs, bytes, change } = await load(server.url, SMALL)
    const changes = [change]
    while (changes.length < SWAPPED_REGISTRIES)
      changes.push(await changeCostOfNew(server.url, SMALL.environs))
    return {
      'load of 10,200 documents': {
        'wall clock, ms': ms,
        'processor time, ms': cpuMs,
        'heap per document, bytes': bytes,
      },
      'SET → swap': {
        'p50, ms': median(changes.map((each) => each.ms)),
        'processor time, µs': median(changes.map((each) => each.cpuMicros)),
      },
    }
  } finally {
    server.child.kill()
  }
}

async function main() {
  const server = await startServer()
  try {
    console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0].model}\n`)
    await showLatency(server.url, 100)
    await showLatency(server.url, 100_000)
    console.log()
    const sizes = [SMALL, { prompts: 10_000, tools: 10_000, environs: 100_000 }]
    if (flags.million) sizes.push({ prompts: 10_000, tools: 10_000, environs: 1_000_000 })
    for (const size of sizes) await inOwnProcess(server.url, size)
  } finally {
    server.child.kill()
  }
}

async function showLatency(url, environs) {
  const { p50, p99, most, rendered, failed, fullLoads } = await latency(url, environs)
  console.log(
    `SET → next render, ${environs} environs: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, max ${most.toFixed(2)} ms ` +
      `(${CHANGES} changes, ${rendered} renders, ${failed} failed, ${fullLoads} full loads)`,
  )
}

async function latency(url, environs) {
  await populate(url, { prompts: 1, tools: 1, environs })
  const registry = await openRegistry(url)
  const { times, rendered, failed } = await timesOfChanges(registry, url, CHANGES)
  const { fullLoads } = registry.status.sync
  await registry.close()
  return { ...percentilesOf(times), most: Math.max(...times), rendered, failed, fullLoads }
}

/**
 * SET in a connection of its own → the next render shows it, in milliseconds, while others render. Renders follow each swap: a
 * loop of renders never lets the processor go, and what Redis says waits for it up to 10 ms.
 */
async function timesOfChanges(registry, url, changes) {
  const writer = new Redis(url)
  await writer.ping()
  let rendered = 0
  let failed = 0
  const render = () => {
    const { current } = registry
    const { template } = registry.compiled(current, current.prompts.get('bench.value'))
    rendered += 1
    return template.renderSync(current.context)
  }
  const load = setInterval(() => {
    try {
      for (let index = 0; index < RENDERS_PER_SECOND / 100; index += 1) render()
    } catch {
      failed += 1
    }
  }, 10)
  let onSwap = () => {}
  const unsubscribe = registry.subscribe(() => onSwap())
  const times = []
  // Other registries may have seen changes of the same environ.
  const first = performance.now()
  for (let change = 0; change < changes; change += 1) {
    const value = `value ${first + change}`
    const shown = new Promise((resolve) => {
      onSwap = () => {
        if (render() === value) resolve(performance.now())
      }
    })
    const startedAt = performance.now()
    writer.set('shenma:environs:codebase:value', JSON.stringify(value))
    times.push((await shown) - startedAt)
    if (change % 4 === 0) await sleep(1)
  }
  unsubscribe()
  clearInterval(load)
  writer.disconnect()
  return { times, rendered, failed }
}

function percentilesOf(times) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share) => sorted[Math.floor(sorted.length * share)]
  return { p50: at(0.5), p99: at(0.99) }
}

/** So that no size pays for the garbage of another. */
async function inOwnProcess(url, size) {
  const args = ['--expose-gc', import.meta.filename, '--url', url, '--size', JSON.stringify(size)]
  await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')
}

async function showLoad(url, size) {
  const { documents, ms, cpuMs, gaps, bytes, rss, change } = await load(url, size)
  console.log(
    `${documents} documents: loaded in ${ms.toFixed(0)} ms (${cpuMs.toFixed(0)} ms of processor time), event-loop gap p99 ${(gaps.percentile(99) / 1e6).toFixed(1)} ms ` +
      `max ${(gaps.max / 1e6).toFixed(1)} ms, heap ${bytes.toFixed(0)} bytes per document, process ${rss.toFixed(0)} MiB`,
  )
  console.log(
    `  one change: p50 ${change.ms.toFixed(3)} ms from SET to swap, ${change.cpuMicros.toFixed(0)} µs of processor time`,
  )
}

/** Load time, memory, event-loop gaps, and the cost of one change. */
async function load(url, size) {
  await populate(url, size)
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const gaps = monitorEventLoopDelay({ resolution: 1 })
  gaps.enable()
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const registry = await openRegistry(url)
  const ms = performance.now() - startedAt
  const cpu = process.cpuUsage(cpuBefore)
  gaps.disable()
  globalThis.gc?.()
  const { documents } = registry.status.sync
  const bytes = (process.memoryUsage().heapUsed - before) / documents
  const rss = process.memoryUsage().rss / 2 ** 20
  const change = await changeCost(registry, url, size.environs)
  await registry.close()
  return { documents, ms, cpuMs: (cpu.user + cpu.system) / 1000, gaps, bytes, rss, change }
}

async function changeCostOfNew(url, environs) {
  const registry = await openRegistry(url)
  const cost = await changeCost(registry, url, environs)
  await registry.close()
  return cost
}

/**
 * The whole way from SET to the swap, with nothing else going on: flat over all sizes. Who watches the clock never lets the
 * processor rest, so that its time is counted over other changes.
 */
async function changeCost(registry, url, environs) {
  const writer = new Redis(url)
  let change = 0
  const set = () => {
    change += 1
    const key = `shenma:environs:codebase:k${(change * 7919) % environs}`
    // Another registry may have changed the same keys before.
    return writer.set(key, JSON.stringify({ change, at: performance.now(), text: 'y'.repeat(280) }))
  }
  const cost = { ms: await watchedSwaps(registry, set), cpuMicros: await countedSwaps(registry, set) }
  writer.disconnect()
  return cost
}

/** The median. */
async function watchedSwaps(registry, set) {
  const times = []
  while (times.length < SWAPS) {
    const { sequence } = registry.current
    const startedAt = performance.now()
    set()
    while (registry.current.sequence === sequence) await new Promise((resolve) => setImmediate(resolve))
    times.push(performance.now() - startedAt)
  }
  return median(times)
}

/** What one change takes on average, its SET included. */
async function countedSwaps(registry, set) {
  let swapped = () => {}
  const unsubscribe = registry.subscribe(() => swapped())
  const before = process.cpuUsage()
  for (let count = 0; count < SWAPS; count += 1) {
    const swap = new Promise((resolve) => {
      swapped = resolve
    })
    await Promise.all([set(), swap])
  }
  const { user, system } = process.cpuUsage(before)
  unsubscribe()
  return (user + system) / SWAPS
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}

/** In a thread of its own, so that its garbage is not in the figures. */
async function populate(url, size) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, ...size } })
  await once(worker, 'message')
  await worker.terminate()
}

async function populateHere({ url, prompts, tools, environs }) {
  const redis = new Redis(url)
  await redis.flushall()
  const put = async (count, entry) => {
    for (let start = 0; start < count; start += 1_000) {
      const pairs = []
      for (let index = start; index < Math.min(count, start + 1_000); index += 1) pairs.push(...entry(index))
      await redis.mset(pairs)
    }
  }
  await redis.set('shenma:templates:bench:value', JSON.stringify({ userPrompt: '{{.codebase.value}}' }))
  await redis.set('shenma:environs:codebase:value', '"none"')
  await put(prompts, (index) => [
    `shenma:templates:ext${index % 100}:p${index}`,
    JSON.stringify(promptAt(index)),
  ])
  await put(tools, (index) => [`shenma:tools:mod${index % 100}:t${index}`, JSON.stringify(toolAt(index))])
  await put(environs, (index) => [
    `shenma:environs:codebase:k${index}`,
    JSON.stringify({ index, text: 'x'.repeat(280) }),
  ])
  redis.disconnect()
  parentPort.postMessage('done')
}

function promptAt(index) {
  return {
    name: `p${index}`,
    messages: [
      { role: 'system', content: `You review {{.vscode.language}} code, number ${index}.` },
      {
        role: 'user',
        content: '{{if .variables.code}}{{.variables.code}}{{end}}{{range .variables.items}}- {{.}}{{end}}',
      },
    ],
    supports: ['chat'],
    parameters: [
      { name: 'code', type: 'string' },
      { name: 'items', type: 'array', default: [] },
    ],
  }
}

function toolAt(index) {
  return {
    name: `t${index}`,
    module: `mod${index % 100}`,
    type: 'restful',
    url: `/t/${index}`,
    description: 'a tool',
    parameters: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
  }
}

async function startServer() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept')) break
  return { child, url: `redis://127.0.0.1:${port}` }
}
