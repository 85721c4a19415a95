import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isTerminalTaskEvent } from '../../src/tasks/task-event.js'
import { createRandom, type Random } from './random.js'
import { ask, type EventReader, type ReadEvent, readEvents } from './replicas.js'
import { type ServiceProcess, startService } from './service-process.js'
import type { Json } from './test-app.js'
import { TURN_ENDS, turnMistakes, unknownCallsOf } from './turn-mistakes.js'
import { openWorkplace, type Work, type Workplace } from './workplace.js'

export interface RollingTurnsOptions {
  readonly redisUrl: string
  readonly seed: number
  /** Turns under way whose clients read their stream. */
  readonly streams: number
  /** Turns under way whose clients went away. */
  readonly detached: number
  /** Tasks under way. */
  readonly tasks: number
  /** How often a replica is replaced: in order or killed, by turns. */
  readonly replacements: number
  /** The directory of another build, which one of the replicas is of. */
  readonly otherBuild?: string | undefined
}

/** What became of everything that was under way. */
export interface RollingTurnsReport {
  readonly turns: number
  readonly completed: number
  /** Ended because a call may have had its effect. */
  readonly interrupted: number
  /** Taken over at least once. */
  readonly continued: number
  /** Requests that were sent again with their key. */
  readonly repeated: number
  readonly tasks: number
  /** Steps of tasks that ended because they may have had their effect. */
  readonly interruptedSteps: number
  /** Calls of tools with effects. */
  readonly effects: number
  readonly drained: number
  /** Of those the ones whose watch ended them, because they had not ended in their time. */
  readonly forced: number
  readonly killed: number
  /** What must not be. */
  readonly wrong: readonly string[]
}

const REPLICAS = 2
const LEASE_MS = 2_000
/** Shorter than most turns take, so that many are given back. */
const DRAIN_TIMEOUT_MS = 1_000
const DRAIN_DELAY_MS = 300
/** A turn or a task of which nothing comes for so long is lost, as is a request that nobody answers. */
const LOST_MS = 120_000
/** Between two replacements. */
const PAUSE_MS = 1_500
/** A kill meets a turn that was asked for at most this long before. */
const YOUNG_MS = 100
const SHORT_MS = 50
/** What clients repeat: their replica is gone, or about to end, or the state is away, or the turn before it is. */
const PASSING = [409, 429, 503]
const FORCED = 'the process has not ended in its time'
const NAMES = ['act', 'act', 'look', 'put'] as const

/**
 * Replaces replicas, in order and by kills, under turns that are read, turns that are not, and tasks. Half of the tools
 * in flight must not be called again. Clients do as docs/guides/sessions.md says: they repeat requests with their key, and go on
 * behind the last event they have.
 */
export async function rollingTurns(options: RollingTurnsOptions): Promise<RollingTurnsReport> {
  const workplace = await openWorkplace()
  const run = new RollingTurns(options, workplace)
  try {
    return await run.all()
  } finally {
    await run.close()
    await workplace.close()
  }
}

class RollingTurns {
  readonly #options: RollingTurnsOptions
  readonly #workplace: Workplace
  readonly #random: Random
  readonly #environment: Readonly<Record<string, string>>
  readonly #replicas: ServiceProcess[] = []
  readonly #wrong: string[] = []
  readonly #counts = {
    ...{ turns: 0, completed: 0, interrupted: 0, continued: 0, repeated: 0 },
    ...{ tasks: 0, interruptedSteps: 0, drained: 0, forced: 0, killed: 0 },
  }
  /** What went wrong last with who follows a path. */
  readonly #last = new Map<string, string>()
  #isOver = false

  constructor(options: RollingTurnsOptions, workplace: Workplace) {
    this.#options = options
    this.#workplace = workplace
    this.#random = createRandom(options.seed)
    this.#environment = {
      ...workplace.environment,
      LOG_LEVEL: 'fatal',
      STATE_URL: options.redisUrl,
      KEY_PREFIX: `rolling-${randomUUID()}`,
      STATE_LEASE_MS: String(LEASE_MS),
      DRAIN_TIMEOUT_MS: String(DRAIN_TIMEOUT_MS),
      DRAIN_DELAY_MS: String(DRAIN_DELAY_MS),
      TASK_CONCURRENCY: String(Math.max(4, options.tasks)),
    }
  }

  async all(): Promise<RollingTurnsReport> {
    for (let index = 0; index < REPLICAS; index += 1) this.#replicas.push(await this.#start(index))
    const { streams, detached, tasks } = this.#options
    const work = [
      ...Array.from({ length: streams }, () => this.#converse(true)),
      ...Array.from({ length: detached }, () => this.#converse(false)),
      ...Array.from({ length: tasks }, () => this.#orderTasks()),
    ]
    await this.#replaceAll().finally(() => {
      this.#isOver = true
    })
    await Promise.all(work)
    const { effects } = this.#workplace
    for (const [key, times] of effects) if (times > 1) this.#wrong.push(`${key} took effect ${times} times`)
    return { ...this.#counts, effects: effects.size, wrong: this.#wrong }
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.stop('SIGKILL')))
  }

  #start(index: number): Promise<ServiceProcess> {
    const { otherBuild } = this.#options
    return startService(this.#environment, undefined, [], index === REPLICAS - 1 ? otherBuild : undefined)
  }

  async #replaceAll(): Promise<void> {
    const young: Promise<void>[] = []
    for (let count = 0; count < this.#options.replacements; count += 1) {
      await sleep(PAUSE_MS + this.#random.below(PAUSE_MS))
      // One in order, two by kills, and so on: each of the two replicas in either way.
      const index = count % REPLICAS
      const isKilled = (count + 1) % 4 > 1
      const old = this.#replicas[index] as ServiceProcess
      if (isKilled) {
        young.push(this.#oneTurn(old))
        await sleep(this.#random.below(YOUNG_MS))
        await old.stop('SIGKILL')
        this.#counts.killed += 1
      } else {
        const { code, stdout } = await old.stop('SIGTERM')
        this.#counts.drained += 1
        // On a machine that is too busy to write everything in time the watch of the process ends it.
        if (stdout.includes(FORCED)) this.#counts.forced += 1
        else if (code !== 0) this.#wrong.push(`a replica ended with ${code}: ${stdout.slice(-1_000)}`)
      }
      this.#replicas[index] = await this.#start(index)
    }
    await Promise.all(young)
  }

  /** Turn after turn of one session. */
  async #converse(isRead: boolean): Promise<void> {
    const session = await this.#newSession()
    let turn = 0
    while (!this.#isOver) {
      turn += 1
      await this.#turn(session, turn, isRead)
    }
    await this.#judgeSession(session, turn)
  }

  /** A session of one turn, which this replica begins unless it dies before. */
  async #oneTurn({ url }: ServiceProcess): Promise<void> {
    const session = await this.#newSession()
    await this.#turn(session, 1, true, url)
    await this.#judgeSession(session, 1)
  }

  async #newSession(): Promise<string> {
    const body = { agent: 't.main', id: randomUUID() }
    const key = { 'idempotency-key': randomUUID() }
    return `/sessions/${(await this.#soon('POST', '/sessions', body, key)).id}`
  }

  async #turn(session: string, turn: number, isRead: boolean, first?: string): Promise<void> {
    const path = `${session}/turns/${turn}`
    const events: ReadEvent[] = []
    await this.#begin(session, isRead, events, first)
    if (await this.#readToEnd(path, events)) await this.#judgeTurn(session, turn, events)
  }

  /** Asks for a turn until it is certain that it was begun, and reads or leaves its stream. */
  async #begin(session: string, isRead: boolean, events: ReadEvent[], first?: string): Promise<void> {
    const body = { input: JSON.stringify(this.#work()), stream: true }
    const headers = { 'idempotency-key': randomUUID() }
    const path = `${session}/turns`
    for (let url = first ?? this.#anyone(); ; url = this.#anyone()) {
      const reader = await readEvents(url, path, { body, headers }).catch(() => undefined)
      if (reader?.status === 200) {
        if (!isRead) return reader.cut()
        await this.#readWhole(path, reader, events)
        if (events.length > 0) return
      } else {
        reader?.cut()
        if (reader !== undefined && !PASSING.includes(reader.status))
          this.#wrong.push(`POST ${path}: ${reader.status}`)
      }
      this.#counts.repeated += 1
      await sleep(SHORT_MS)
    }
  }

  /** @returns false for what does not come to its end in time */
  async #readToEnd(path: string, events: ReadEvent[]): Promise<boolean> {
    let [heard, heardAt] = [events.length, performance.now()]
    while (!isEnd(events.at(-1)?.name)) {
      if (events.length > heard) [heard, heardAt] = [events.length, performance.now()]
      if (performance.now() - heardAt > LOST_MS) {
        const { status } = await this.#soon('GET', path)
        const last = this.#last.get(path)
        this.#wrong.push(
          `${path} is lost behind ${events.at(-1)?.name}; it is ${status}, last failure ${last}`,
        )
        return false
      }
      await this.#followOn(path, events)
    }
    return true
  }

  async #followOn(path: string, events: ReadEvent[]): Promise<void> {
    const lastEventId = events.findLast(({ id }) => id !== undefined)?.id
    const place = lastEventId === undefined ? {} : { lastEventId }
    const url = this.#anyone()
    const reader = await readEvents(url, `${path}/events`, place).catch((error: Error) => {
      this.#last.set(path, `${url}: ${error.message}`)
      return undefined
    })
    if (reader?.status === 200) return this.#readWhole(path, reader, events)
    reader?.cut()
    if (reader !== undefined) this.#last.set(path, String(reader.status))
    if (reader !== undefined && !PASSING.includes(reader.status))
      this.#wrong.push(`GET ${path}/events: ${reader.status}`)
    await sleep(SHORT_MS)
  }

  /** What a stream tells up to its end, which is the turn's, an error with a code, or a broken connection. */
  async #readWhole(path: string, reader: EventReader, events: ReadEvent[]): Promise<void> {
    await reader.ended
    const last = reader.events.at(-1)
    events.push(...reader.events.filter(({ name }) => name !== 'error'))
    const isTold = last !== undefined && (last.name === 'error' || isEnd(last.name))
    if (reader.isWhole && !isTold && this.#options.otherBuild === undefined)
      this.#wrong.push(`a stream of ${path} ended silently behind ${last?.name}`)
    if (last?.name === 'error') this.#noteCode(path, last.data.error.code)
  }

  async #judgeTurn(session: string, turn: number, events: readonly ReadEvent[]): Promise<void> {
    const path = `${session}/turns/${turn}`
    const record = await this.#soon('GET', path)
    this.#counts.turns += 1
    if (events.some(({ name, data }) => name === 'rollback' && data.reason === 'taken_over'))
      this.#counts.continued += 1
    for (const mistake of turnMistakes(events, record)) this.#wrong.push(`${path}: ${mistake}`)
    if (record.status === 'completed') this.#counts.completed += 1
    else {
      this.#counts.interrupted += 1
      await this.#judgeFailure(session, turn, record)
    }
  }

  /** Only a call that may have had its effect ends a turn; another build ends more. */
  async #judgeFailure(session: string, turn: number, record: Json): Promise<void> {
    const { code, message } = record.error ?? {}
    const about = `${session}/turns/${turn} ${record.status}: ${code}: ${message}`
    if (record.status !== 'failed' || code !== 'turn_interrupted') return void this.#wrong.push(about)
    if (this.#options.otherBuild !== undefined || /processes in a row/.test(message)) return
    const { items } = await this.#soon('GET', `${session}/messages?limit=1000`)
    if (!unknownCallsOf(turn, items).includes('m_act'))
      this.#wrong.push(`${about}, although it could continue`)
  }

  /** It has the turns that were asked for, and has used what they have. */
  async #judgeSession(session: string, turns: number): Promise<void> {
    const { turn, status, usage } = await this.#soon('GET', session)
    if (turn !== turns || status !== 'idle')
      this.#wrong.push(`${session} is ${status} after turn ${turn} of ${turns}`)
    let [input, output] = [0, 0]
    for (let number = 1; number <= turns; number += 1) {
      const record = await this.#soon('GET', `${session}/turns/${number}`)
      // An earlier release does not write what a turn without an answer has used.
      if (record.usage === undefined && this.#options.otherBuild !== undefined) return
      input += record.usage?.input_tokens ?? 0
      output += record.usage?.output_tokens ?? 0
    }
    if (usage.input_tokens !== input || usage.output_tokens !== output)
      this.#wrong.push(`${session} has used ${JSON.stringify(usage)}, its turns ${input} and ${output}`)
  }

  async #orderTasks(): Promise<void> {
    while (!this.#isOver) await this.#task()
  }

  async #task(): Promise<void> {
    const steps = Array.from({ length: 4 }, (_, index) => this.#step(index))
    const order = { description: 'work', agent: 't.main', plan: { steps } }
    const { id } = await this.#soon('POST', '/tasks', order, { 'idempotency-key': randomUUID() })
    const path = `/tasks/${id}`
    const events: ReadEvent[] = []
    if (!(await this.#readToEnd(path, events))) return
    const task = await this.#soon('GET', path)
    this.#counts.tasks += 1
    const ids = events.flatMap((event) => event.id ?? [])
    if (new Set(ids).size !== ids.length) this.#wrong.push(`${path}: events are repeated`)
    if (task.status !== 'completed' || events.at(-1)?.name !== 'task.completed')
      this.#wrong.push(`${path} is ${task.status}: ${JSON.stringify(task.error)}`)
    for (const step of task.rounds[0].plan.steps) this.#judgeStep(path, step)
  }

  #judgeStep(path: string, { id, status, tool_id, error }: Json): void {
    if (status === 'completed') return
    if (status === 'failed' && error.code === 'interrupted' && tool_id === 'm.act')
      this.#counts.interruptedSteps += 1
    else this.#wrong.push(`${path}: ${id} with ${tool_id} is ${status}: ${JSON.stringify(error)}`)
  }

  #step(index: number) {
    const parameters = { ms: 50 + this.#random.below(400) }
    const tool_id = `m.${this.#random.pick(NAMES)}`
    return { step_id: `s${index}`, description: 'act', tool_id, parameters }
  }

  #work(): Work {
    const random = this.#random
    return {
      rounds: 1 + random.below(3),
      tools: [random.pick(NAMES), random.pick(NAMES)],
      ms: 20 + random.below(500),
      words: 3 + random.below(40),
    }
  }

  #anyone(): string {
    return (this.#random.pick(this.#replicas) as ServiceProcess).url
  }

  /** Asks until somebody answers; what passes is asked for again, with the same key. */
  async #soon(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Json> {
    const end = performance.now() + LOST_MS
    for (;;) {
      const answer = await ask(this.#anyone(), method, path, body, headers).catch(() => undefined)
      if (answer !== undefined && answer.status < 300) return answer.body
      const code = answer?.body?.error?.code
      this.#noteCode(path, code)
      const isPassing = answer === undefined || PASSING.includes(answer.status)
      if (!isPassing || performance.now() > end)
        throw new Error(`${method} ${path}: ${answer?.status} ${code}`)
      await sleep(SHORT_MS)
    }
  }

  #noteCode(path: string, code: unknown): void {
    if (code === 'state_unreadable') this.#wrong.push(`${path}: ${code}`)
  }
}

function isEnd(name = ''): boolean {
  return TURN_ENDS.includes(name) || isTerminalTaskEvent(name)
}
