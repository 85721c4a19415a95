import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { createCatalogDirectory } from './catalog-directory.js'
import { type ServiceProcess, startService } from './service-process.js'

export interface RollingRestartOptions {
  /** Requests per second, all the time. */
  readonly rate: number
  /** Streams that are open on each replica when it is asked to end. */
  readonly streams: number
}

export interface RollingRestartResult {
  readonly answered: number
  /** What was not answered with 200, by status or error. */
  readonly failed: ReadonlyMap<string, number>
  /** Streams that came to their end. */
  readonly ended: number
  /** Streams that broke off, by why. */
  readonly cut: readonly string[]
  /** How the processes ended. */
  readonly codes: readonly (number | null)[]
  readonly seconds: number
}

interface Target {
  readonly service: ServiceProcess
  readonly agent: Agent
  isReady: boolean
}

const REPLICAS = 2
const TICK_MS = 5
/** How often the client asks who is ready, as a load balancer does. */
const PROBE_MS = 50
/** Longer than the client, which makes the load too, takes to notice on a busy machine: its loop was seen to stand for 1.2 s. */
const DRAIN_DELAY_MS = '2500'
/** Its answers take 3.3 s: longer than the announced end, shorter than what may run on after it. */
const SLOW_MODEL = 'echo:pace=110'
const WORDS = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ')
const HEADERS = { 'content-type': 'application/json' }

/** Ends replicas one after the other under a steady load; each is replaced before the next one's turn. */
export async function rollingRestart({
  rate,
  streams,
}: RollingRestartOptions): Promise<RollingRestartResult> {
  const catalog = createCatalogDirectory({
    'templates/a/b.json': { name: 'b', userPrompt: 'hello {{.variables.who}}' },
  })
  const start = async (): Promise<Target> => ({
    service: await startService({ CATALOG_DIR: catalog.path, LLM_MODEL: 'echo', DRAIN_DELAY_MS }),
    agent: new Agent(),
    isReady: true,
  })
  const targets = await Promise.all(Array.from({ length: REPLICAS }, start))
  const load = new Load(targets, rate)
  const opened: Promise<string | undefined>[] = []
  const codes: (number | null)[] = []
  try {
    await sleep(200)
    for (let index = 0; index < REPLICAS; index += 1) {
      const old = targets.shift() as Target
      targets.push(old)
      for (let place = 0; place < streams; place += 1) opened.push(openStream(old, place % 2 === 0))
      await sleep(200)
      const { code } = await old.service.stop()
      codes.push(code)
      targets.splice(targets.indexOf(old), 1, await start())
    }
    await sleep(200)
    await load.stop()
    const ends = await Promise.all(opened)
    const cut = ends.filter((end) => end !== undefined)
    const { answered, failed, seconds } = load
    return { answered, failed, ended: ends.length - cut.length, cut, codes, seconds }
  } finally {
    await load.stop()
    await Promise.all(targets.map(({ service }) => service.stop()))
    catalog.dispose()
  }
}

/** Sends requests at a rate to those that say they are ready, in turn. */
class Load {
  readonly failed = new Map<string, number>()
  answered = 0
  /** How long requests were sent. */
  seconds = 0
  readonly #targets: readonly Target[]
  readonly #rate: number
  readonly #pending = new Set<Promise<void>>()
  readonly #work: Promise<unknown>
  #isOver = false
  #sent = 0

  constructor(targets: readonly Target[], rate: number) {
    this.#targets = targets
    this.#rate = rate
    this.#work = Promise.all([this.#probe(), this.#send()])
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#work
    await Promise.all(this.#pending)
  }

  async #probe(): Promise<void> {
    while (!this.#isOver) {
      await Promise.all(this.#targets.map(look))
      await sleep(PROBE_MS)
    }
  }

  async #send(): Promise<void> {
    const startedAt = performance.now()
    while (!this.#isOver) {
      const due = ((performance.now() - startedAt) / 1_000) * this.#rate
      for (; this.#sent < due; this.#sent += 1) {
        const one = this.#ask().finally(() => this.#pending.delete(one))
        this.#pending.add(one)
      }
      await sleep(TICK_MS)
    }
    this.seconds = (performance.now() - startedAt) / 1_000
  }

  async #ask(): Promise<void> {
    const ready = this.#targets.filter(({ isReady }) => isReady)
    const outcome = await render(ready[this.#sent % ready.length])
    if (outcome === '200') this.answered += 1
    else this.failed.set(outcome, (this.failed.get(outcome) ?? 0) + 1)
  }
}

async function look(target: Target): Promise<void> {
  try {
    const { statusCode, body } = await request(`${target.service.url}/readyz`)
    await body.dump()
    target.isReady = statusCode === 200
  } catch {
    target.isReady = false
  }
}

async function render(target: Target | undefined): Promise<string> {
  if (target === undefined) return 'nobody is ready'
  try {
    const { statusCode, body } = await request(`${target.service.url}/api/render/prompts/a.b`, {
      method: 'POST',
      headers: HEADERS,
      body: '{"variables":{"who":"you"}}',
      dispatcher: target.agent,
    })
    await body.dump()
    return String(statusCode)
  } catch (error) {
    return String(error)
  }
}

/** @returns why the stream broke off; undefined for one that came to its end */
async function openStream({ service }: Target, isChat: boolean): Promise<string | undefined> {
  try {
    const answer = isChat ? await openChat(service.url) : await fetch(`${service.url}/api/events`)
    const text = await answer.text()
    const last = isChat ? 'data: [DONE]' : 'event: hello'
    return text.includes(last) ? undefined : `without its end: ${text.slice(-200)}`
  } catch (error) {
    return String(error)
  }
}

function openChat(url: string): Promise<Response> {
  const messages = [{ role: 'user', content: WORDS }]
  const body = JSON.stringify({ model: SLOW_MODEL, stream: true, messages })
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: HEADERS, body })
}
