import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Redis } from 'ioredis'
import { type FaultGround, GROUNDS, type GroundName } from './fault-grounds.js'
import { createRandom, type Random } from './random.js'
import { ask, type EventReader, type ReadEvent, readEvents } from './replicas.js'
import type { Json } from './test-app.js'
import { TURN_ENDS, turnMistakes, unknownCallsOf } from './turn-mistakes.js'
import { waitUntil } from './wait-until.js'

const LEASE_MS = 1_000
const MAX_TURNS = 3
/** One of two may be called again. */
const TOOLS = ['act', 'look'] as const
/** What may happen to a turn beside what happens to its Redis; a process dies as often as all of that together. */
const FAULTS = ['kill', 'kill', 'cut', 'cut']
/** What a stream that is not broken ends with. */
const LAST_WORDS: readonly (string | undefined)[] = [...TURN_ENDS, 'error']

interface Replica {
  readonly child: ChildProcess
  readonly url: string
}

/** What became of all turns. */
export interface FaultReport {
  readonly turns: number
  readonly completed: number
  /** Those with a call that may have had its effect. */
  readonly interrupted: number
  /** By another process. */
  readonly continued: number
  /** Of followers' streams. */
  readonly cuts: number
  /**
   * What was wrong: an event lost or repeated, a stream that ends silently or says something else than the turn's record, a call
   * without exactly one result, a turn that ended although it could continue. None, if all is well.
   */
  readonly mistakes: readonly string[]
  /** Calls of tools with effects that ran twice, or never: none, if all is well. */
  readonly repeatedEffects: readonly string[]
}

/**
 * Runs turns over HTTP on two replicas, one after another, and does something to each: kills its replica, cuts its
 * stream, or does to Redis what belongs to its topology. Meanwhile a reader follows, cut at random places.
 *
 * @param redisUrl where effects are counted, whatever becomes of the state
 */
export async function runSessionFaults(
  redisUrl: string,
  { seed, sessions, ground = 'one server' }: SessionFaultOptions,
): Promise<FaultReport> {
  const run = new FaultRun(redisUrl, seed, await GROUNDS[ground](redisUrl))
  try {
    return await run.all(sessions)
  } finally {
    await run.close()
  }
}

export interface SessionFaultOptions {
  readonly seed: number
  /** Each has one to three turns. */
  readonly sessions: number
  readonly ground?: GroundName
}

class FaultRun {
  readonly #random: Random
  readonly #ground: FaultGround
  readonly #redis: Redis
  readonly #environment: Readonly<Record<string, string>>
  readonly #started: ChildProcess[] = []
  #replicas: Replica[] = []
  #spare: Promise<Replica>
  readonly #mistakes: string[] = []
  #report = { turns: 0, completed: 0, interrupted: 0, continued: 0, cuts: 0 }

  constructor(redisUrl: string, seed: number, ground: FaultGround) {
    this.#random = createRandom(seed)
    this.#ground = ground
    this.#redis = new Redis(redisUrl)
    const name = `faults-${seed}-${Math.random().toString(36).slice(2)}`
    this.#environment = {
      PATH: String(process.env['PATH']),
      LOG_LEVEL: 'silent',
      STATE_URL: ground.url,
      KEY_PREFIX: name,
      STATE_LEASE_MS: String(LEASE_MS),
      EFFECTS_URL: redisUrl,
      EFFECTS_KEY: `${name}-effects`,
    }
    this.#spare = this.#start()
  }

  async all(sessions: number): Promise<FaultReport> {
    this.#replicas = await Promise.all([this.#start(), this.#start()])
    for (let done = 0; done < sessions; done += 1) await this.#session(1 + this.#random.below(MAX_TURNS))
    const effects = await this.#redis.hgetall(String(this.#environment['EFFECTS_KEY']))
    const repeated = Object.entries(effects).filter(([, count]) => count !== '1')
    return {
      ...this.#report,
      mistakes: this.#mistakes,
      repeatedEffects: repeated.map(([call, count]) => `${call}: ${count} times`),
    }
  }

  /** Notes what is not as it is promised. */
  #expect(isRight: boolean, what: string, about: string): void {
    if (!isRight) this.#mistakes.push(`${what}: ${about}`)
  }

  async close(): Promise<void> {
    for (const child of this.#started) child.kill('SIGKILL')
    await this.#ground.close()
    this.#redis.disconnect()
  }

  #start(): Promise<Replica> {
    const starting = this.#fork()
    // Whoever waits for it gets the error; a spare one is ended while it starts, when all is over.
    starting.catch(() => {})
    return starting
  }

  async #fork(): Promise<Replica> {
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

  async #session(turns: number): Promise<void> {
    const { body } = await this.#soon('POST', '/sessions', { agent: 'helper' })
    const path = `/sessions/${body.id}`
    for (let count = 0; count < turns; count += 1) await this.#turn(path)
    await this.#expectUsage(path)
    const history = await this.#soon('GET', `${path}/messages?limit=1000`)
    this.#mistakes.push(...mistakesIn(history.body.items).map((mistake) => `${mistake}: ${path}`))
  }

  /** The session has used what its turns have, whichever processes ran them. */
  async #expectUsage(path: string): Promise<void> {
    const { turn: last, usage } = (await this.#soon('GET', path)).body
    const sum = { input_tokens: 0, output_tokens: 0 }
    for (let turn = 1; turn <= last; turn += 1) {
      const { body } = await this.#soon('GET', `${path}/turns/${turn}`)
      sum.input_tokens += body.usage.input_tokens
      sum.output_tokens += body.usage.output_tokens
    }
    const isSum = usage.input_tokens === sum.input_tokens && usage.output_tokens === sum.output_tokens
    this.#expect(isSum, 'the usage is not the sum of the turns', `${path} ${JSON.stringify({ usage, sum })}`)
  }

  async #turn(path: string): Promise<void> {
    const before = (await this.#idle(path)).turn
    const fault = this.#random.pick([...FAULTS, ...Object.keys(this.#ground.strikes)])
    const runner = this.#random.below(2)
    const { url } = this.#replicas[runner] as Replica
    const random = this.#random
    const input = JSON.stringify({
      rounds: random.below(3),
      words: 1 + random.below(60),
      ms: random.below(20),
      tools: [random.pick(TOOLS), random.pick(TOOLS)],
    })
    const live = readEvents(url, `${path}/turns`, { body: { input, stream: true } }).catch(() => undefined)
    const follower = this.#follow(`${path}/turns/${before + 1}/events`)
    await sleep(random.below(250))
    await this.#strike(fault, runner, path, live)
    const began = await this.#began(path, before, live)
    if (!began) return follower.stop()
    const events = await follower.whole
    this.#report.turns += 1
    this.#report.cuts += follower.cuts()
    await this.#judge(path, before + 1, fault, events, await live)
  }

  async #strike(
    fault: string,
    runner: number,
    path: string,
    live: Promise<EventReader | undefined>,
  ): Promise<void> {
    if (fault === 'kill') {
      this.#replicas[runner]?.child.kill('SIGKILL')
      this.#replicas[runner] = await this.#spare
      this.#spare = this.#start()
    } else if (fault === 'cut') void live.then((reader) => reader?.cut())
    else await this.#ground.strikes[fault]?.(path.slice('/sessions/'.length))
  }

  /** A process that dies at once may never have begun. */
  async #began(path: string, before: number, live: Promise<EventReader | undefined>): Promise<boolean> {
    const reader = await live
    if (reader?.status === 200) return true
    return (await this.#idle(path)).turn > before
  }

  async #judge(
    session: string,
    turn: number,
    fault: string,
    events: readonly ReadEvent[],
    live: EventReader | undefined,
  ): Promise<void> {
    const path = `${session}/turns/${turn}`
    const about = JSON.stringify({ path, fault, names: events.map(({ name }) => name) })
    const isFatal = fault === 'kill' || this.#ground.long.includes(fault)
    const { body } = await this.#soon('GET', path)
    this.#mistakes.push(...turnMistakes(events, body).map((mistake) => `${mistake}: ${about}`))
    this.#expect(!events.some(({ name }) => name === 'gap'), 'events were lost', about)
    this.#judgeStream(events, live, isFatal, about)
    if (events.some(({ name }) => name === 'rollback')) this.#report.continued += 1
    if (body.status === 'completed') {
      this.#report.completed += 1
      return
    }
    this.#report.interrupted += 1
    const isInterrupted = body.status === 'failed' && body.error?.code === 'turn_interrupted'
    this.#expect(isInterrupted && isFatal, 'the turn did not end as it has to', about)
    // A turn whose calls may all be called again continues.
    const { items } = (await this.#soon('GET', `${session}/messages?limit=1000`)).body
    this.#expect(unknownCallsOf(turn, items).includes('act'), 'the turn could have continued', about)
  }

  /** The stream of the client that began the turn. */
  #judgeStream(
    events: readonly ReadEvent[],
    live: EventReader | undefined,
    isFatal: boolean,
    about: string,
  ): void {
    const streamed = live?.events ?? []
    // A turn may have been begun although nobody heard that its beginning was written.
    const isRefused = live !== undefined && live.status !== 200
    if (isRefused) this.#expect(live.status === 503, `refused with ${live.status}`, about)
    else if (live?.isWhole === true)
      this.#expect(LAST_WORDS.includes(streamed.at(-1)?.name), 'the stream ended silently', about)
    const kept = streamed.filter(({ id }) => events.some((event) => event.id === id))
    const isSame = isDeepStrictEqual(events.slice(0, kept.length), kept)
    this.#expect(isSame, 'the stream says something else than the log', about)
    if (!isFatal) this.#expect(kept.length === streamed.length, 'the log lacks events of the stream', about)
  }

  /** Reads a turn to its end, on either replica, cut again and again. */
  #follow(path: string) {
    const events: ReadEvent[] = []
    const random = createRandom(this.#random.below(1_000_000))
    let cuts = 0
    let stopped = false
    const whole = (async () => {
      const end = performance.now() + 60_000
      while (!stopped && !TURN_ENDS.includes(events.at(-1)?.name ?? '')) {
        if (performance.now() > end)
          throw new Error(`${path} did not end: ${JSON.stringify(events.at(-1))}, ${await this.#why(path)}`)
        const fresh = await readSome(
          random.pick(this.#replicas).url,
          path,
          events.at(-1)?.id,
          1 + random.below(5),
        )
        events.push(...fresh)
        cuts += 1
        if (fresh.length === 0) await sleep(20)
      }
      return events
    })()
    whole.catch(() => {})
    const stop = () => {
      stopped = true
    }
    return { whole, stop, cuts: () => cuts }
  }

  /** What both replicas say of a path. */
  async #why(path: string): Promise<string> {
    const answers = this.#replicas.map(({ url }) =>
      ask(url, 'GET', path.replace(/.events$/, '')).catch(String),
    )
    return JSON.stringify(await Promise.all(answers))
  }

  async #idle(path: string): Promise<Json> {
    let body: Json
    await waitUntil(
      async () => {
        body = (await this.#soon('GET', path)).body
        return body.status === 'idle'
      },
      `${path} to be idle`,
      30_000,
    )
    return body
  }

  /** Asks a replica that lives; one that is away for now is asked again. */
  async #soon(method: string, path: string, body?: unknown): Promise<{ readonly body: Json }> {
    const end = performance.now() + 30_000
    for (;;) {
      const { url } = this.#random.pick(this.#replicas)
      const answer = await ask(url, method, path, body).catch(() => undefined)
      if (answer !== undefined && answer.status < 300) return answer
      if (performance.now() > end) throw new Error(`${method} ${path}: ${answer?.status}`)
      await sleep(30)
    }
  }
}

/** Up to this many events behind one; none when the replica or the turn is not there. */
async function readSome(
  url: string,
  path: string,
  lastEventId: string | undefined,
  most: number,
): Promise<readonly ReadEvent[]> {
  const reader = await readEvents(url, path, lastEventId === undefined ? {} : { lastEventId }).catch(
    () => undefined,
  )
  if (reader?.status !== 200) {
    reader?.cut()
    return []
  }
  const enough = waitUntil(() => reader.events.length >= most, 'events').catch(() => {})
  await Promise.race([reader.ended, enough])
  reader.cut()
  return [...reader.events]
}

/** Every call has exactly one result, in the order of the calls, and nothing is between them: what is not so. */
function mistakesIn(items: readonly { readonly message: Json }[]): readonly string[] {
  const messages = items.map(({ message }) => message)
  const mistakes: string[] = []
  for (let place = 0; place < messages.length; place += 1) {
    const calls: readonly { readonly id: string }[] = messages[place].tool_calls ?? []
    const results = messages.slice(place + 1, place + 1 + calls.length)
    const isAnswered = calls.every(({ id }, index) => results[index]?.tool_call_id === id)
    if (!isAnswered) mistakes.push(`calls of message ${place} have other results`)
    place += calls.length
  }
  const answered = messages.flatMap((message) => message.tool_call_id ?? [])
  if (new Set(answered).size !== answered.length) mistakes.push('a call has two results')
  return mistakes
}
