import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { createCatalogDirectory } from '../support/catalog-directory.js'
import { freePort } from '../support/free-port.js'
import { HAS_TIME } from '../support/has-time.js'
import { launchService } from '../support/launch-service.js'
import { readEvents } from '../support/replicas.js'
import { runMain, type ServiceProcess, startService } from '../support/service-process.js'
import { slowIt } from '../support/slow-it.js'
import { startSteadyLoad } from '../support/steady-load.js'
import { waitUntil } from '../support/wait-until.js'

const catalog = createCatalogDirectory({
  'templates/a/b.json': { name: 'b', userPrompt: 'hello {{.variables.who}}' },
  'agents/helper.json': { model: 'echo' },
})
afterAll(() => catalog.dispose())

interface WorkerRow {
  readonly worker: number
  readonly pid: number
  readonly status: string
}

/** What a test ends, or the next one starts again. */
let service: ServiceProcess
let isShared = false
/** What it has printed since it was ready. */
let log = ''
afterAll(async () => void (await service.stop()))

/** A service of a test's own, in the place of whichever there was. */
async function start(environment: Record<string, string> = {}): Promise<void> {
  await service?.stop()
  isShared = false
  service = await startService({ CATALOG_DIR: catalog.path, WORKERS: '2', ...environment })
  log = ''
  service.child.stdout?.on('data', (text: string) => {
    log += text
  })
}

interface LogLine {
  readonly route?: string
  readonly worker?: number
}

/** The lines that are whole. */
function linesOf(text: string): readonly LogLine[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line): LogLine => JSON.parse(line))
}

/** Two workers, which tests share as long as none of them ends them. */
async function twoWorkers(): Promise<void> {
  if (!isShared || service.child.exitCode !== null) await start({ LOG_LEVEL: 'info' })
  isShared = true
  await waitUntil(async () => (await workers()).length === 2, 'two workers')
}

/** On a connection of its own. */
function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${service.url}${path}`, { ...init, headers: { connection: 'close', ...init.headers } })
}

async function workers(): Promise<readonly WorkerRow[]> {
  return ((await (await ask('/api/status')).json()) as { readonly workers: readonly WorkerRow[] }).workers
}

const pids = async () => (await workers()).map(({ pid }) => pid).sort()

function render(more: Record<string, string> = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...more }
  return ask('/api/render/prompts/a.b', { method: 'POST', headers, body: '{"variables":{"who":"x"}}' })
}

function createSession(): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return ask('/api/sessions', { method: 'POST', headers, body: '{"agent":"helper"}' })
}

async function metric(line: string): Promise<number> {
  const text = await (await ask('/metrics')).text()
  const found = text.split('\n').find((each) => each.startsWith(`${line} `))
  return Number(found?.slice(line.length))
}

/** The processes that a process started. */
function childrenOf(pid: number | undefined): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}

const RENDERS = 'http_requests_total{method="POST",route="/api/render/prompts/:id",status="200"}'

describe('two workers', () => {
  it('share connections evenly, count together, and say in the log who answered', async () => {
    await twoWorkers()
    for (let count = 0; count < 40; count += 1) expect((await render()).status).toBe(200)
    expect(await metric(RENDERS)).toBe(40)
    expect(await metric('registry_ready')).toBe(1)
    expect(
      await metric('http_request_duration_seconds_count{method="POST",route="/api/render/prompts/:id"}'),
    ).toBe(40)
    const told = () => linesOf(log).filter(({ route }) => route === '/api/render/prompts/:id')
    await waitUntil(() => told().length === 40, 'a line for each')
    const shares = [1, 2].map((number) => told().filter(({ worker }) => worker === number).length)
    expect(shares[0]).toBeGreaterThanOrEqual(15)
    expect(shares[1]).toBeGreaterThanOrEqual(15)
  }, 180_000)

  it('that is killed under load is replaced: what it had in hand fails, its counts stay', async () => {
    await twoWorkers()
    const clients = 8
    const load = startSteadyLoad(service.url, 'a.b', clients)
    await load.more(40)
    const before = await metric(RENDERS)
    const [killed, kept] = await pids()
    process.kill(killed as number, 'SIGKILL')
    await load.more(40)
    await waitUntil(async () => (await workers()).length === 2, 'a new worker')
    await load.more(40)
    await load.stop()
    const failures = [...load.failed.values()].reduce((sum, count) => sum + count, 0)
    expect(failures).toBeLessThanOrEqual(clients)
    expect(await pids()).toContain(kept)
    expect(await pids()).not.toContain(killed)
    expect(await metric(RENDERS)).toBeGreaterThanOrEqual(before + 80)
  }, 180_000)

  slowIt(
    'leave a connection that was on its way to one that died to the other',
    async () => {
      await twoWorkers()
      const [killed] = await pids()
      process.kill(killed as number, 'SIGSTOP')
      const answered: number[] = []
      const all = Array.from({ length: 8 }, async () => answered.push((await render()).status))
      // It is passed one, and before it says that it took that, no other.
      await waitUntil(() => answered.length === 7, 'the answers of the other', 20_000)
      process.kill(killed as number, 'SIGKILL')
      await Promise.all(all)
      expect(answered).toEqual(Array(8).fill(200))
    },
    60_000,
  )

  slowIt(
    'are replaced on SIGHUP, one after the other, and no request fails',
    async () => {
      await twoWorkers()
      const before = await metric(RENDERS)
      const load = startSteadyLoad(service.url, 'a.b', 8)
      await load.more(40)
      const old = await pids()
      service.child.kill('SIGHUP')
      await waitUntil(
        async () => (await pids()).length === 2 && (await pids()).every((pid) => !old.includes(pid)),
        'new workers',
        30_000,
      )
      await load.more(40)
      await load.stop()
      expect([...load.failed]).toEqual([])
      expect(await metric(RENDERS)).toBe(before + load.answered)
    },
    180_000,
  )

  it('give a reader of the other one `reset`, and what it missed to their own', async () => {
    await twoWorkers()
    const first = await readEvents(service.url, '/events')
    const { id } = await first.event('hello')
    const found: string[] = []
    for (let count = 0; count < 2; count += 1) {
      const reader = await readEvents(service.url, '/events', { lastEventId: id as string })
      await waitUntil(() => reader.events.length > 0 || reader.status === 200, 'an answer')
      found.push(await Promise.race([reader.event('reset').then(({ name }) => name), silent()]))
      reader.cut()
    }
    first.cut()
    expect(found.sort()).toEqual(['reset', 'silent'])
  }, 180_000)

  it('refuse what would be kept in the memory of one of them', async () => {
    await twoWorkers()
    for (const path of ['/api/sessions', '/api/tasks'])
      expect([path, (await ask(path)).status]).toEqual([path, 503])
    expect(await (await createSession()).json()).toMatchObject({ error: { code: 'state_unavailable' } })
  }, 180_000)

  slowIt(
    'end with 0 on SIGINT that a terminal gives to all of them',
    async () => {
      await twoWorkers()
      for (const pid of childrenOf(service.child.pid)) process.kill(pid, 'SIGINT')
      expect((await service.stop('SIGINT')).code).toBe(0)
    },
    180_000,
  )

  it('share what is in Redis, and the port for operators, and keep what that answers off the other', async () => {
    const adminPort = String(await freePort())
    await start({
      ADMIN_PORT: adminPort,
      STATE_URL: inject('redisUrl'),
      KEY_PREFIX: `workers-${Math.random().toString(36).slice(2)}`,
    })
    const admin = (path: string) =>
      fetch(`http://127.0.0.1:${adminPort}${path}`, { headers: { connection: 'close' } })
    const states = async () => {
      const answer = await admin('/api/status')
      expect(answer.status).toBe(200)
      const { workers } = (await answer.json()) as { readonly workers: readonly WorkerRow[] }
      return workers.map(({ status }) => status)
    }
    await waitUntil(async () => (await states()).length === 2, 'two workers', 20_000)
    expect(await states()).toEqual(['ready', 'ready'])
    expect((await render()).status).toBe(200)
    const metrics = await admin('/metrics')
    expect(metrics.status).toBe(200)
    expect(await metrics.text()).toContain(`${RENDERS} 1\n`)
    for (const path of ['/metrics', '/api/status'])
      expect([path, (await ask(path)).status]).toEqual([path, 404])
    expect((await admin('/api/prompts')).status).toBe(404)
    expect((await ask('/api/sessions')).status).toBe(200)
    expect(await (await createSession()).json()).toMatchObject({ agent: 'helper', status: 'idle' })
  }, 180_000)
})

describe('a service of workers', () => {
  if (HAS_TIME) describeMore()

  it('says once what keeps it from serving', async () => {
    const taken = createServer()
    const port = await freePort()
    await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', () => resolve()))
    const { code, stderr } = await runMain([], {
      WORKERS: '2',
      PORT: String(port),
      CATALOG_DIR: catalog.path,
    })
    expect([code, stderr]).toEqual([
      1,
      `Port ${port} on 127.0.0.1 is already in use: stop what uses it, or choose another with --port or PORT\n`,
    ])
    taken.close()
  }, 180_000)

  slowIt(
    'write to a file themselves, in whole lines',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'aps-workers-'))
      const file = join(directory, 'log')
      const descriptor = openSync(file, 'w')
      const environment = { CATALOG_DIR: catalog.path, WORKERS: '2', LOG_LEVEL: 'info' }
      const launched = await launchService(environment, descriptor)
      closeSync(descriptor)
      await launched.ready
      const pids = () => childrenOf(launched.child.pid)
      await waitUntil(() => pids().length === 2, 'two workers')
      expect(pids().map((pid) => readlinkSync(`/proc/${pid}/fd/1`))).toEqual([file, file])
      const headers = { connection: 'close' }
      const get = () => fetch(`${launched.url}/api/prompts/a.b`, { headers })
      const told = () =>
        linesOf(readFileSync(file, 'utf8')).filter(({ route }) => route === '/api/prompts/:id')
      const tellers = () => new Set(told().map(({ worker }) => worker))
      for (let asked = 0; tellers().size < 2; ) {
        for (; asked < told().length + 20; asked += 1) expect((await get()).status).toBe(200)
        await waitUntil(() => told().length === asked, 'a line for each')
      }
      expect((await launched.stop()).code).toBe(0)
      rmSync(directory, { recursive: true })
    },
    180_000,
  )

  slowIt(
    'ends at once while its workers begin',
    async () => {
      // A worker that does not end would be killed after this time only.
      const drain = { DRAIN_TIMEOUT_MS: '600000' }
      const launched = await launchService({ CATALOG_DIR: catalog.path, WORKERS: '3', ...drain })
      await waitUntil(() => childrenOf(launched.child.pid).length > 1, 'a second worker')
      expect((await launched.stop()).code).toBe(0)
    },
    180_000,
  )
})

/** What takes many processes. */
function describeMore(): void {
  it('ends when they end again and again, and says why', async () => {
    await start({ LOG_LEVEL: 'error' })
    let isOver = false
    const ended = new Promise<number | null>((resolve) => service.child.once('exit', resolve))
    void ended.then(() => {
      isOver = true
    })
    while (!isOver) {
      for (const pid of isOver ? [] : childrenOf(service.child.pid)) process.kill(pid, 'SIGKILL')
      await Promise.race([ended, new Promise((wake) => setTimeout(wake, 50))])
    }
    const { code, stdout } = await service.stop()
    expect(code).toBe(1)
    expect(stdout).toContain('its workers end right after their start')
  }, 180_000)

  it('serves on a Unix socket, which goes with it', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'aps-workers-'))
    const socketPath = join(directory, 'shell.sock')
    const launched = await launchService({
      CATALOG_DIR: catalog.path,
      WORKERS: '2',
      HOST: `unix:${socketPath}`,
    })
    const get = (path: string) =>
      new Promise<number>((resolve) => {
        httpRequest({ socketPath, path, agent: false }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0))
        })
          .on('error', () => resolve(0))
          .end()
      })
    await waitUntil(async () => (await get('/readyz')) === 200, 'the socket')
    for (let count = 0; count < 4; count += 1) expect(await get('/api/prompts/a.b')).toBe(200)
    expect((await launched.stop()).code).toBe(0)
    expect(existsSync(socketPath)).toBe(false)
    rmSync(directory, { recursive: true })
  }, 180_000)
}

function silent(): Promise<string> {
  return new Promise((resolve) => setTimeout(resolve, 1_000, 'silent'))
}
