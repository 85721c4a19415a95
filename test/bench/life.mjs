// Versions and labels: npm run bench:life [-- --before <directory of another build>]
// How long a label lookup takes beside a head's, a promotion until three replicas, each a process, serve it, renders and
// edits of heads beside another build, which may know no labels, and what versions weigh. Real Redis; needs a build.

import { fork, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { freePort } from './free-port.mjs'

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    versions: { type: 'string', default: '100000' },
    // A replica of the catalog at this address, which says what it serves: what this program starts itself.
    replica: { type: 'string' },
    dist: { type: 'string' },
    render: { type: 'boolean', default: false },
  },
})
const OURS = new URL('../../dist/', import.meta.url)
const NEEDED = {
  findPrompt: 'prompts/find-prompt.js',
  compileFound: 'prompts/compile-found.js',
  createTemplateEngine: 'prompts/create-template-engine.js',
  createRegistry: 'registry/create-registry.js',
  createRedisStore: 'store/redis-store.js',
  createRenderer: 'prompts/render.js',
  createMetrics: ['util/telemetry/metrics.js', 'util/metrics.js'],
  Turns: ['util/slices/turns.js', 'util/turns.js'],
  withVariables: ['registry/extended-context.js', 'registry/map-view.js'],
  functionLibrary: 'template/library/function-library.js',
}
const quiet = { info() {}, warn() {} }

/** The parts of a build; an older one has some of them in other places. */
async function partsOf(dist) {
  const parts = {}
  for (const [name, files] of Object.entries(NEEDED)) {
    const [first, other] = [files].flat().map((file) => new URL(file, dist))
    parts[name] = (await import(existsSync(first) ? first : other))[name]
  }
  return parts
}

/** A catalog in memory. */
function storeOf(catalog) {
  const documents = Object.entries(catalog).map(([key, value]) => {
    const [kind, ...path] = key.split(':')
    const content = { kind: 'text', text: JSON.stringify(value), format: 'json' }
    return { kind, path, location: key, content }
  })
  return {
    ...{
      kind: 'directory',
      location: 'memory',
      watch: async () => {},
      close: async () => {},
      unread: async () => [],
    },
    async *load() {
      yield documents
    },
    get: async () => [],
    health: () => ({ connected: true, mode: 'watch' }),
  }
}

async function open({ createRegistry, createTemplateEngine }, store) {
  const registry = createRegistry({ store, engine: createTemplateEngine(1 << 20), log: quiet })
  await registry.whenReady()
  return registry
}

async function made(id, number, userPrompt) {
  const { makeVersion, digestOf } = await import(new URL('versions/version-document.js', OURS))
  const content = { kind: 'templates', id, number, document: { userPrompt }, partials: new Map() }
  return { document: makeVersion(content), digest: digestOf(content) }
}

/** Nanoseconds of processor time of one call, the median of rounds. */
function nanosecondsOf(work, calls = 200_000, rounds = 15) {
  const times = []
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = process.cpuUsage()
    for (let call = 0; call < calls; call += 1) work(call)
    const { user, system } = process.cpuUsage(startedAt)
    times.push(((user + system) * 1e3) / calls)
  }
  return median(times)
}

function median(numbers) {
  return quantile(numbers, 0.5)
}

function quantile(numbers, share) {
  return [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))]
}

function say(name, value) {
  console.log(`${name.padEnd(58)} ${value}`)
}

async function lookups(ours) {
  const one = await made('a.b', 1, 'x')
  const ids = Array.from({ length: 1_000 }, (_, index) => `p.n${index}`)
  const catalog = { 'templates:a:b': { userPrompt: 'x' }, 'templates:a:b@1': one.document }
  for (const id of ids) catalog[`templates:${id.replace('.', ':')}`] = { userPrompt: id }
  catalog['releases:a:b:production'] = { version: 1, digest: one.digest, sequence: 1 }
  const registry = await open(ours, storeOf(catalog))
  const { current } = registry
  const head = nanosecondsOf(() => current.prompts.get('a.b'))
  const label = nanosecondsOf(() => current.promptLives.get('a.b').labels.get('production'))
  const found = nanosecondsOf(() => ours.findPrompt(registry, 'a.b'))
  const asked = { label: 'production' }
  const foundLabel = nanosecondsOf(() => ours.findPrompt(registry, 'a.b', asked))
  say('head: lookup, findPrompt (ns)', `${head.toFixed(0)}, ${found.toFixed(0)}`)
  say('label: lookup, findPrompt (ns)', `${label.toFixed(0)}, ${foundLabel.toFixed(0)}`)
  await registry.close()
}

/** Says how long a render of a plain head takes in this process, in nanoseconds. */
async function sayRenderTime(parts) {
  const text = 'Hello {{.variables.name}}, {{range .variables.items}}{{.}} {{end}}'
  const registry = await open(parts, storeOf({ 'templates:a:b': { userPrompt: text } }))
  const { library, withVariables } = { library: parts.functionLibrary, withVariables: parts.withVariables }
  const [turns, metrics] = [new parts.Turns({}), parts.createMetrics()]
  const tools = { call: async () => ({}) }
  const limits = { now: Date.now, timeoutMs: 5_000, strict: false }
  const renderer = parts.createRenderer({ turns, library, withVariables, metrics, tools, ...limits })
  const call = { requestId: 'bench', signal: new AbortController().signal }
  const variables = { name: 'Ada', items: ['a', 'b', 'c'] }
  const render = () => {
    const found = parts.compileFound(registry, parts.findPrompt(registry, 'a.b'))
    const { snapshot, prompt, served, definition, compiled, notes } = found
    // Written out, as the service does: V8 makes slow objects of spreads that further fields follow.
    renderer.renderJson({ snapshot, prompt, served, definition, compiled, variables, call, notes })
  }
  process.send(nanosecondsOf(render, 50_000, 21))
  process.disconnect()
  await registry.close()
}

/** Renders of a plain head, each build in processes of its own, in turns with another build. */
async function heads(before) {
  const timeIn = (dist) =>
    new Promise((done) => {
      fork(import.meta.filename, ['--render', '--dist', fileURLToPath(dist)]).once('message', done)
    })
  const ratios = []
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const order = pair % 2 === 0 ? [OURS, before] : [before, OURS]
    const times = new Map()
    for (const dist of order) times.set(dist, await timeIn(dist))
    ratios.push(times.get(OURS) / times.get(before))
  }
  say(
    `render of a head beside the other build (ratio, ${PAIRS} pairs of processes)`,
    `${median(ratios).toFixed(3)} (${quantile(ratios, 0.1).toFixed(2)}…${quantile(ratios, 0.9).toFixed(2)})`,
  )
}

/** Two processes of one build differ by up to a quarter. */
const PAIRS = 21

/** Changes before the first that is measured. */
const WARM_UP_CHANGES = 2_000

/** A process reports later what it noted: its message would wake others that are still at work. */
const REPORT_AFTER_MS = 8

function nowNs() {
  return Number(process.hrtime.bigint())
}

function report(served) {
  const at = nowNs()
  setTimeout(() => process.send({ at, served }), REPORT_AFTER_MS)
}

/** A process of its own that says when it serves what: `head` is the text of its document, `number` the label's version. */
async function serveReplica(parts, url) {
  const registry = await open(parts, parts.createRedisStore({ url }))
  registry.subscribe(() => {
    const head = registry.current.prompts.get('a.b')?.definition.body.text
    const number = registry.current.promptLives?.get('a.b')?.labels.get('production')?.targets[0]
      .version.number
    report(`${head} ${number}`)
  })
  process.send({ ready: true })
}

/** What Redis and this machine take alone: a process that is notified, and reads one key. */
async function readBare(url) {
  const [subscriber, client] = [new Redis(url), new Redis(url)]
  subscriber.on('message', async (_channel, round) => {
    await client.get('shenma:releases:a:b:production')
    report(`bare ${round}`)
  })
  await subscriber.subscribe('bare')
  process.send({ ready: true })
}

/** Three replicas in processes of their own, of one build; without a build, three bare readers. */
async function startReplicas(dist, url) {
  const build = dist === undefined ? [] : ['--dist', fileURLToPath(dist)]
  const children = [0, 1, 2].map(() => fork(import.meta.filename, ['--replica', url, ...build]))
  const each = (act) => Promise.all(children.map((child) => new Promise((done) => act(child, done))))
  await each((child, done) => child.once('message', done))
  return {
    /** When the last of them serves it, in nanoseconds of the machine's clock. */
    async served(wanted) {
      const times = await each((child, done) =>
        child.on('message', function heard({ at, served }) {
          if (served !== wanted) return
          child.off('message', heard)
          done(at)
        }),
      )
      return Math.max(...times)
    },
    close: () =>
      each((child, done) => {
        child.once('exit', done)
        child.kill()
      }),
  }
}

/** Milliseconds from each write until all three replicas serve it. */
async function movesOf(replicas, moves, write) {
  const times = []
  for (let move = 0; move < moves; move += 1) {
    const wanted = write.wanted(move)
    const served = replicas.served(wanted)
    const startedAt = nowNs()
    await write.act(move)
    times.push(((await served) - startedAt) / 1e6)
    await sleep(12)
  }
  return times
}

function sayTimes(name, times) {
  say(name, `${median(times).toFixed(2)}, ${quantile(times, 0.99).toFixed(2)}`)
}

async function promotions(url, before) {
  const redis = new Redis(url)
  const versions = [await made('a.b', 1, 'one'), await made('a.b', 2, 'two')]
  const set = (key, value) => redis.set(`shenma:${key}`, JSON.stringify(value))
  await set('templates:a:b', { userPrompt: 'head' })
  for (const [index, { document }] of versions.entries()) await set(`templates:a:b@${index + 1}`, document)
  await set('releases:a:b:production', { version: 1, digest: versions[0].digest, sequence: 1 })
  const promotion = {
    wanted: (move) => `head ${2 - (move % 2)}`,
    act: (move) => {
      const version = 2 - (move % 2)
      const { digest } = versions[version - 1]
      return set('releases:a:b:production', { version, digest, sequence: ++sequence })
    },
  }
  const edit = (number) => ({
    wanted: (move) => `text ${move} ${number}`,
    act: (move) => set('templates:a:b', { userPrompt: `text ${move}` }),
  })
  let sequence = 1
  const replicas = await startReplicas(OURS, url)
  const others = before === undefined ? undefined : await startReplicas(before, url)
  const bare = await startReplicas(undefined, url)
  let rounds = 0
  const cold = await movesOf(replicas, 30, promotion)
  // Warm, as every server that is measured here: V8 compiles what a replica does for a change after some hundreds of them.
  for (let change = 0; change < WARM_UP_CHANGES; change += 1) {
    await promotion.act(change)
    await edit(1).act(change)
    await redis.publish('bare', '0')
    await sleep(1)
  }
  await set('templates:a:b', { userPrompt: 'head' })
  await sleep(500)
  const notification = {
    wanted: () => `bare ${rounds + 1}`,
    act: () => redis.publish('bare', String(++rounds)),
  }
  const [promoted, floors, edited, editedBefore] = [[], [], [], []]
  for (let round = 0; round < 10; round += 1) {
    promoted.push(...(await movesOf(replicas, 30, promotion)))
    floors.push(...(await movesOf(bare, 30, notification)))
    edited.push(...(await movesOf(replicas, 30, edit(1))))
    if (others !== undefined) editedBefore.push(...(await movesOf(others, 30, edit(undefined))))
    await set('templates:a:b', { userPrompt: 'head' })
    await sleep(50)
  }
  sayTimes('promotion, SET until 3 replicas serve it: p50, p99 (ms)', promoted)
  sayTimes('the first 30 promotions of processes that just started', cold)
  sayTimes('in turns with it: PUBLISH until 3 bare processes have read a key', floors)
  sayTimes('an edit of a head, SET until 3 replicas serve it', edited)
  if (others !== undefined) sayTimes('the same in the other build', editedBefore)
  await bare.close()
  await replicas.close()
  await others?.close()
  redis.disconnect()
}

async function weight(ours, count) {
  const { createHash } = await import('node:crypto')
  const catalog = {}
  for (let index = 0; index < count; index += 1) {
    const id = `p.n${Math.floor(index / 10)}`
    const number = (index % 10) + 1
    const { document } = await made(
      id,
      number,
      `Text ${createHash('md5').update(`${index}`).digest('hex')} for {{.variables.name}}`,
    )
    catalog[`templates:${id.replace('.', ':')}@${number}`] = document
  }
  globalThis.gc?.()
  let documents = storeOf(catalog)
  for (const key of Object.keys(catalog)) delete catalog[key]
  const usage = () => {
    globalThis.gc?.()
    return process.memoryUsage()
  }
  const bytes = () => {
    const { heapUsed, arrayBuffers } = usage()
    return heapUsed + arrayBuffers
  }
  const rssBefore = usage().rss
  const before = bytes()
  const registry = await open(ours, documents)
  // Maps give back their room after the first load.
  await sleep(1_000)
  const held = bytes()
  documents = undefined
  say(
    `${count} versions in a registry, heap (bytes each, their store aside)`,
    ((held - before) / count).toFixed(0),
  )
  say(
    'resident set, the same with the texts (bytes each)',
    ((process.memoryUsage().rss - rssBefore) / count).toFixed(0),
  )
  await registry.close()
}

async function main() {
  const ours = await partsOf(OURS)
  const before = values.before === undefined ? undefined : distOf(values.before)
  await lookups(ours)
  if (before !== undefined) await heads(before)
  const port = await freePort()
  const server = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'])
  await sleep(500)
  await promotions(`redis://127.0.0.1:${port}`, before)
  server.kill()
  if (Number(values.versions) > 0) await weight(ours, Number(values.versions))
}

/** The build in a directory, or the directory of a build. */
function distOf(directory) {
  const path = resolve(directory)
  const inside = resolve(path, 'dist')
  return pathToFileURL(`${existsSync(inside) ? inside : path}/`)
}

if (values.render) await sayRenderTime(await partsOf(distOf(values.dist)))
else if (values.replica === undefined) await main()
else if (values.dist === undefined) await readBare(values.replica)
else await serveReplica(await partsOf(distOf(values.dist)), values.replica)
