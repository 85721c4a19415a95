import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { Redis } from 'ioredis'
import { expect } from 'vitest'
import { createRandom, type Random } from './random.js'
import type { Json } from './test-app.js'
import { waitUntil } from './wait-until.js'

const LEASE_MS = 1_000
const TOOLS = ['act', 'look'] as const
/** Begun together, each at the replica that is killed. */
const AT_ONCE = 3
/** One of so many kills is followed by another one, of a process that may have taken over. */
const ANOTHER = 4
const LAST = ['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']
const FIRST = ['response.queued', 'response.created', 'response.in_progress']

interface Replica {
  readonly child: ChildProcess
  readonly url: string
}

export interface ResponseKillOptions {
  readonly seed: number
  readonly kills: number
}

/** What became of all responses. */
export interface KillReport {
  responses: number
  completed: number
  /** Those that could not be continued. */
  failed: number
  /** Met by a kill before their end. */
  met: number
  /** Their process died before anybody knew their ids. */
  unseen: number
}

/** What is asked; drawn before anything runs, so that a seed repeats it. */
interface Asked {
  readonly isAgent: boolean
  readonly place: 'alone' | 'after another' | 'in a conversation'
  readonly background: boolean
  readonly input: string
  /** Its process is killed when this many events were shown. */
  readonly events: number
  readonly follows: Random
}

/**
 * Asks for responses of models and agents over HTTP at one of two replicas, alone, after others and in conversations, and
 * kills that replica. Readers follow on both, cut at random places. Fails when what any reader saw is not in the log under
 * the same number, numbers have gaps, a response does not end with exactly one last event, its object is not what its
 * events say, shown text is taken back, a tool with effects ran twice for one call, a response fails that could continue,
 * or its conversation does not have it.
 *
 * @param redisUrl of the state, and where effects are counted
 */
export async function runResponseKills(
  redisUrl: string,
  { seed, kills }: ResponseKillOptions,
): Promise<KillReport> {
  const run = new KillRun(redisUrl, seed)
  try {
    return await run.all(kills)
  } finally {
    await run.close()
  }
}

class KillRun {
  readonly #random: Random
  /** For what only looks: it draws as often as it takes. */
  readonly #anywhere = createRandom(0)
  readonly #redis: Redis
  readonly #environment: Readonly<Record<string, string>>
  readonly #started: ChildProcess[] = []
  #replicas: Replica[] = []
  #spares: Promise<Replica>[] = []
  readonly #report = { responses: 0, completed: 0, failed: 0, met: 0, unseen: 0 }
  /** A response that others may follow. */
  #parent: string | undefined

  constructor(redisUrl: string, seed: number) {
    this.#random = createRandom(seed)
    this.#redis = new Redis(redisUrl)
    const name = `kills-${seed}-${Math.random().toString(36).slice(2)}`
    this.#environment = {
      PATH: String(process.env['PATH']),
      LOG_LEVEL: 'silent',
      MAX_LOOP_DELAY_MS: '0',
      STATE_URL: redisUrl,
      KEY_PREFIX: name,
      STATE_LEASE_MS: String(LEASE_MS),
      EFFECTS_URL: redisUrl,
      EFFECTS_KEY: `${name}-effects`,
    }
    this.#spares = [this.#start(), this.#start()]
  }

  async all(kills: number): Promise<KillReport> {
    this.#replicas = await Promise.all([this.#start(), this.#start()])
    for (let kill = 0; kill < kills; kill += 1) await this.#round()
    const { KEY_PREFIX: name, EFFECTS_KEY: effects } = this.#environment
    const open = async () => (await this.#redis.zcard(`${name}-state:responses`)) === 0
    await waitUntil(open, 'the end of responses whose ids nobody knew')
    const counts = Object.values(await this.#redis.hgetall(String(effects)))
    expect(counts.filter((count) => count !== '1')).toEqual([])
    return this.#report
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#spares)
    for (const child of this.#started) child.kill('SIGKILL')
    this.#redis.disconnect()
  }

  async #start(): Promise<Replica> {
    const child = fork(join(import.meta.dirname, 'fault-replica.mjs'), {
      env: this.#environment,
      silent: true,
    })
    this.#started.push(child)
    const died = once(child, 'exit').then(([code]) => Promise.reject(new Error(`a replica ended: ${code}`)))
    const [port] = (await Promise.race([once(child, 'message'), died])) as [number]
    died.catch(() => {})
    return { child, url: `http://127.0.0.1:${port}` }
  }

  async #kill(index: number): Promise<void> {
    this.#replicas[index]?.child.kill('SIGKILL')
    const [spare = this.#start()] = this.#spares.splice(0, 1)
    this.#replicas[index] = await spare
    this.#spares.push(this.#start())
  }

  async #round(): Promise<void> {
    const random = this.#random
    const runner = random.below(2)
    const { url } = this.#replicas[runner] as Replica
    const asked = Array.from({ length: AT_ONCE }, () => this.#draw())
    const pauseMs = random.below(20)
    const again = random.below(ANOTHER) === 0 ? LEASE_MS + random.below(1_500) : undefined
    const running: Promise<void>[] = []
    await new Promise<void>((resolve) => {
      for (const each of asked) running.push(this.#response(url, each, resolve))
    })
    // What fails first is what the test fails with.
    const settled = Promise.allSettled(running)
    await sleep(pauseMs)
    await this.#kill(runner)
    if (again !== undefined) {
      await sleep(again)
      await this.#kill(random.below(2))
    }
    await settled
    await Promise.all(running)
  }

  #draw(): Asked {
    const random = this.#random
    const isAgent = random.below(2) === 0
    const input = {
      rounds: isAgent ? random.below(3) : 0,
      words: 1 + random.below(60),
      ms: random.below(20),
      tools: [random.pick(TOOLS), random.pick(TOOLS)],
    }
    return {
      isAgent,
      place: random.pick(['alone', 'after another', 'in a conversation'] as const),
      background: random.below(3) === 0,
      input: JSON.stringify(input),
      events: random.below(30),
      follows: createRandom(random.below(1_000_000)),
    }
  }

  /** @param onEnough called when as much was shown as is to be before the kill, or all */
  async #response(url: string, asked: Asked, onEnough: () => void): Promise<void> {
    const { isAgent, place, background, input } = asked
    const conversation =
      place === 'in a conversation' ? (await this.#soon('POST', '/conversations', {})).id : undefined
    const body = {
      ...{ model: isAgent ? 'agent:helper' : 'scripted', input, store: true, stream: true, background },
      ...(conversation !== undefined && { conversation }),
      ...(place === 'after another' && { previous_response_id: this.#parent }),
    }
    const live: Json[] = []
    let reading: Promise<void> = Promise.resolve()
    const id = await new Promise<string | undefined>((resolve) => {
      reading = readStream(`${url}/v1/responses`, { body }, (event) => {
        live.push(event)
        resolve(live[0].response.id)
        if (live.length > asked.events) onEnough()
        return false
      }).finally(() => {
        resolve(undefined)
        onEnough()
      })
    })
    this.#report.responses += 1
    if (id === undefined) {
      this.#report.unseen += 1
      return
    }
    const followed = await this.#follow(id, asked.follows)
    await reading
    await this.#judge(id, asked, live, followed, conversation)
  }

  async #judge(
    id: string,
    asked: Asked,
    live: readonly Json[],
    followed: readonly Json[],
    conversation: string | undefined,
  ): Promise<void> {
    const about = JSON.stringify({ id, asked, types: followed.map(({ type }) => type) })
    const log = await this.#log(id)
    expect(
      log.map((event) => event.sequence_number),
      about,
    ).toEqual(log.map((_, index) => index))
    expect(
      log.filter(({ type }) => LAST.includes(type)),
      about,
    ).toEqual([log.at(-1)])
    expect(followed, about).toEqual(log)
    for (const event of live) expect(event, about).toEqual(log[event.sequence_number])
    const response = await this.#soon('GET', `/responses/${id}`)
    expect(log.at(-1), about).toMatchObject({ type: `response.${response.status}`, response })
    expect(itemsOf(log), about).toEqual(response.output)
    if (live.at(-1)?.type !== log.at(-1)?.type) this.#report.met += 1
    const words = Array.from({ length: JSON.parse(asked.input).words }, (_, n) => `w${n} `).join('')
    if (response.status === 'completed') {
      this.#report.completed += 1
      expect(response.output.at(-1), about).toMatchObject({ content: [{ text: words }] })
      if (conversation === undefined) this.#parent = id
    } else {
      this.#report.failed += 1
      expect(response.status, about).toBe('failed')
      this.#expectHopeless(asked, log, response, about)
    }
    if (conversation !== undefined) await this.#expectIn(conversation, response, about)
  }

  /** What may run again and was not shown continues. */
  #expectHopeless({ isAgent, input }: Asked, log: readonly Json[], { error }: Json, about: string): void {
    const wasShown = log.some(({ type }) => ![...FIRST, ...LAST].includes(type))
    if (!isAgent) expect(wasShown, about).toBe(true)
    if (!isAgent) return
    expect(error.message, about).toContain('may have had its effect')
    expect(JSON.parse(input).tools, about).toContain('act')
  }

  /** The conversation has the items of a response that did not fail, once, and is free for the next one. */
  async #expectIn(conversation: string, { status, output }: Json, about: string): Promise<void> {
    const items = async () =>
      (await this.#soon('GET', `/conversations/${conversation}/items?order=asc&limit=100`)).data
    const added = status === 'completed' ? output.map(({ id }: Json) => id) : []
    expect(
      (await items()).slice(1).map(({ id }: Json) => id),
      about,
    ).toEqual(added)
    const input = JSON.stringify({ rounds: 0, words: 1 })
    await this.#soon('POST', '/responses', { model: 'scripted', input, conversation })
  }

  /** Reads a response to its end, on either replica, cut again and again. */
  async #follow(id: string, random: Random): Promise<readonly Json[]> {
    const events: Json[] = []
    for (const end = performance.now() + 60_000; !LAST.includes(events.at(-1)?.type); ) {
      if (performance.now() > end) throw new Error(`${id} did not end: ${JSON.stringify(events.at(-1))}`)
      const after = events.length === 0 ? '' : `&starting_after=${events.at(-1).sequence_number}`
      const most = 1 + random.below(8)
      const { url } = random.pick(this.#replicas)
      let fresh = 0
      await readStream(`${url}/v1/responses/${id}?stream=true${after}`, {}, (event) => {
        if (fresh < most) events.push(event)
        fresh += 1
        return fresh >= most
      })
      if (fresh === 0) await sleep(20)
    }
    return events
  }

  async #log(id: string): Promise<readonly Json[]> {
    for (;;) {
      const events: Json[] = []
      const { url } = this.#anywhere.pick(this.#replicas)
      await readStream(`${url}/v1/responses/${id}?stream=true`, {}, (event) => {
        events.push(event)
        return false
      })
      if (LAST.includes(events.at(-1)?.type)) return events
    }
  }

  /** Asks a replica that lives; one that is away for now is asked again. */
  async #soon(method: string, path: string, body?: object): Promise<Json> {
    let answer: Response | undefined
    for (const end = performance.now() + 30_000; performance.now() < end; await sleep(30)) {
      const { url } = this.#anywhere.pick(this.#replicas)
      answer = await fetch(`${url}/v1${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).catch(() => undefined)
      const text = await answer?.text().catch(() => undefined)
      if (answer?.ok === true && text !== undefined) return JSON.parse(text)
    }
    throw new Error(`${method} ${path}: ${answer?.status}`)
  }
}

/** The items that events say, each with the text that was shown of it. */
function itemsOf(log: readonly Json[]): readonly Json[] {
  const shown = new Map<string, string>()
  const items: Json[] = []
  for (const { type, item_id, delta, item } of log) {
    if (type.endsWith('.delta')) shown.set(item_id, (shown.get(item_id) ?? '') + delta)
    if (type !== 'response.output_item.done') continue
    const text = shown.get(item.id)
    if (item.type === 'message') expect(item.content.map((part: Json) => part.text).join('')).toBe(text ?? '')
    items.push(item)
  }
  return items
}

/** Reads events until the stream is over or breaks, or `onEvent` has enough. Nothing comes from who is not there. */
async function readStream(
  url: string,
  { body }: { readonly body?: object },
  onEvent: (event: Json) => boolean,
): Promise<void> {
  const enough = new AbortController()
  const parser = createParser({
    onEvent({ data }) {
      if (!enough.signal.aborted && onEvent(JSON.parse(data)) === true) enough.abort()
    },
  })
  try {
    const answer = await fetch(url, {
      signal: enough.signal,
      ...(body !== undefined && {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
      }),
    })
    if (answer.status !== 200 || answer.body === null) return
    const text = new TextDecoder()
    for await (const piece of answer.body) {
      parser.feed(text.decode(piece, { stream: true }))
      if (enough.signal.aborted) return
    }
  } catch {
    // The process died, or enough was read.
  }
}
