// What a change in Redis costs and how long it takes to be served. Starts its own redis-server on loopback.
// Run by `npm run bench:registry`; `--million` adds the size of a million environs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { cpus } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Redis } from 'ioredis'
import { createRegistry } from '../../dist/registry/create-registry.js'
import { createRedisStore } from '../../dist/store/redis-store.js'
import { compile } from '../../dist/template/index.js'

const CHANGES = 2_000
const RENDERS_PER_SECOND = 500
const quiet = { info() {}, warn() {} }
const engine = { compile, functions: new Map() }

const own = process.argv.indexOf('--size')
if (!isMainThread) await populateHere(workerData)
else if (own > 0) await load(process.argv[own + 1], JSON.parse(process.argv[own + 2]))
else await main()

async function main() {
  const server = await startServer()
  try {
    console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0].model}\n`)
    await latency(server.url, 100)
    await latency(server.url, 100_000)
    console.log()
    const sizes = [
      { prompts: 100, tools: 100, environs: 10_000 },
      { prompts: 10_000, tools: 10_000, environs: 100_000 },
    ]
    if (process.argv.includes('--million'))
      sizes.push({ prompts: 10_000, tools: 10_000, environs: 1_000_000 })
    for (const size of sizes) await inOwnProcess(server.url, size)
  } finally {
    server.child.kill()
  }
}

/** SET in another thread's connection → the next render shows it. */
async function latency(url, environs) {
  await populate(url, { prompts: 1, tools: 1, environs })
  const registry = await open(url)
  const writer = new Redis(url)
  let rendered = 0
  let failed = 0
  let seen = ''
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
  const times = []
  for (let change = 0; change < CHANGES; change += 1) {
    const value = `value ${change}`
    const startedAt = performance.now()
    writer.set('shenma:environs:codebase:value', JSON.stringify(value))
    do {
      await new Promise((resolve) => setImmediate(resolve))
      seen = render()
    } while (seen !== value)
    times.push(performance.now() - startedAt)
    if (change % 4 === 0) await sleep(1)
  }
  clearInterval(load)
  times.sort((a, b) => a - b)
  const at = (share) => times[Math.floor(times.length * share)].toFixed(2)
  const { fullLoads } = registry.status.sync
  console.log(
    `SET → next render, ${environs} environs: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(0.9999)} ms ` +
      `(${CHANGES} changes, ${rendered} renders, ${failed} failed, ${fullLoads} full loads)`,
  )
  await registry.close()
  writer.disconnect()
}

/** So that no size pays for the garbage of another. */
async function inOwnProcess(url, size) {
  const args = ['--expose-gc', import.meta.filename, '--size', url, JSON.stringify(size)]
  await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')
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
  const registry = await open(url)
  const ms = performance.now() - startedAt
  const cpu = process.cpuUsage(cpuBefore)
  gaps.disable()
  globalThis.gc?.()
  const { documents } = registry.status.sync
  const perKey = (process.memoryUsage().heapUsed - before) / documents
  const rss = process.memoryUsage().rss / 2 ** 20
  console.log(
    `${documents} documents: loaded in ${ms.toFixed(0)} ms (${((cpu.user + cpu.system) / 1000).toFixed(0)} ms of processor time), event-loop gap p99 ${(gaps.percentile(99) / 1e6).toFixed(1)} ms ` +
      `max ${(gaps.max / 1e6).toFixed(1)} ms, heap ${perKey.toFixed(0)} bytes per document, process ${rss.toFixed(0)} MiB`,
  )
  console.log(`  one change: ${await changeCost(registry, url, size.environs)}`)
  await registry.close()
}

/** The whole way from SET to the swap, with nothing else going on: flat over all sizes. */
async function changeCost(registry, url, environs) {
  const writer = new Redis(url)
  const times = []
  for (let change = 0; change < 1_000; change += 1) {
    const { sequence } = registry.current
    const key = `shenma:environs:codebase:k${(change * 7919) % environs}`
    const startedAt = performance.now()
    writer.set(key, JSON.stringify({ change, text: 'y'.repeat(280) }))
    while (registry.current.sequence === sequence) await new Promise((resolve) => setImmediate(resolve))
    times.push(performance.now() - startedAt)
  }
  writer.disconnect()
  times.sort((a, b) => a - b)
  return `p50 ${times[500].toFixed(2)} ms from SET to swap`
}

async function open(url) {
  const registry = createRegistry({ store: createRedisStore({ url }), engine, log: quiet })
  await registry.whenReady()
  return registry
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
