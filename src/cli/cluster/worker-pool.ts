import type { Worker } from 'node:cluster'
import { type Backoff, backoffMs } from '../../transport/resilience/backoff.js'
import type { Logger } from '../../util/telemetry/logger.js'
import type { MetricFamily } from '../../util/telemetry/metric-family.js'
import { EXIT } from '../command.js'
import { Pulse, pulseEveryMs } from '../heartbeat/pulse.js'
import { waitedMs } from '../heartbeat/waited-ms.js'
import { countsOf, mergeMetrics } from './merge-metrics.js'
import type { FleetReport } from './messages.js'
import { type ProcessEnding, WorkerHandle } from './worker-handle.js'

/** A worker that ends earlier than this after its start did not get anywhere. */
const EARLY_MS = 10_000
/** After this many failures in a row, plus one for each worker, the pool gives up. */
const MAX_FAILURES = 4
/** Clients of a worker that is replaced get this long to come back to another one. */
const HANDOVER_MS = 1_000
const RETRY: Backoff = { firstMs: 100, longestMs: 5_000 }

export interface WorkerPoolOptions {
  readonly count: number
  readonly fork: () => Worker
  readonly log: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** How long a worker may take to stop after it was asked to. */
  readonly endLimitMs: number
  /** How long the event loop of a serving worker may be blocked before the worker is killed; 0: no limit. */
  readonly stallLimitMs: number
}

/** The workers of a service: as many as there should be, each replaced when it ends unasked. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #workers = new Set<WorkerHandle>()
  readonly #pulses = new WeakMap<WorkerHandle, Pulse>()
  readonly #finished: Promise<number>
  #finish: (code: number) => void = () => {}
  #ended: readonly MetricFamily[] = []
  #failures = 0
  #code: number = EXIT.ok
  #hasServed = false
  #isEnding = false
  #restarts = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: WorkerPoolOptions) {
    this.#options = options
    this.#finished = new Promise((resolve) => {
      this.#finish = resolve
    })
  }

  /**
   * Starts the workers, the first one alone: what keeps it from serving would keep all. Resolves with the exit code of
   * the service when all of them have ended.
   */
  async run(): Promise<number> {
    const { stallLimitMs } = this.#options
    if (stallLimitMs > 0) setInterval(() => this.#look(), pulseEveryMs(stallLimitMs)).unref()
    const first = this.#fork(1)
    if (await serves(first)) {
      this.#hasServed = true
      this.#fill()
    }
    return this.#finished
  }

  /** Kills serving workers whose event loop is blocked. Workers that were asked to end have their own limit. */
  #look(): void {
    const { stallLimitMs, log, now } = this.#options
    for (const worker of this.#workers) {
      if (!worker.isListening || worker.isLeaving || worker.wasStanding) continue
      const pulse = this.#pulses.get(worker) ?? new Pulse(stallLimitMs, now())
      this.#pulses.set(worker, pulse)
      const { beats, pid } = worker
      const stoodMs = pulse.look({ beats, waitedMs: waitedMs(pid) }, now())
      if (stoodMs === undefined) continue
      log.error(
        { worker: worker.number, pid, stood_ms: Math.round(stoodMs) },
        'a worker is blocked and is killed',
      )
      worker.killStanding()
    }
  }

  /** Ends the service. */
  end(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    clearTimeout(this.#timer)
    for (const worker of this.#workers) worker.leave('end', this.#options.endLimitMs)
    if (this.#workers.size === 0) this.#finish(this.#code)
  }

  /** Puts a new worker in the place of each: one after the other, and each serves before the old one leaves. */
  async restart(): Promise<void> {
    this.#restarts += 1
    // Anybody who comes while a restart runs gets another one after it.
    if (this.#restarts > 1) return
    while (this.#restarts > 0) {
      const wanted = this.#restarts
      await this.#replaceAll()
      this.#restarts -= wanted
    }
  }

  async #replaceAll(): Promise<void> {
    const { log, count, endLimitMs } = this.#options
    log.info({ workers: count }, 'restarting the workers')
    for (let number = 1; number <= count && !this.#isEnding; number += 1) {
      const old = this.#holder(number)
      const fresh = this.#fork(number)
      if (!(await serves(fresh))) {
        if (!this.#isEnding) log.error('the restart is given up: a new worker did not get to serve')
        return this.#fill()
      }
      if (old === undefined || this.#isEnding) continue
      old.leave('retire', endLimitMs + HANDOVER_MS)
      await old.ended
    }
    log.info('the workers are restarted')
  }

  /** The worker of this number that is to stay. */
  #holder(number: number): WorkerHandle | undefined {
    return [...this.#workers].find((worker) => worker.number === number && !worker.isLeaving)
  }

  /** Starts a worker for every number that has none. */
  #fill(): void {
    for (let number = 1; number <= this.#options.count && !this.#isEnding; number += 1)
      if (this.#holder(number) === undefined) this.#fork(number)
  }

  #fork(number: number): WorkerHandle {
    const { fork, now } = this.#options
    const othersServe = [...this.#workers].some(({ isListening }) => isListening)
    const startedAt = now()
    const worker = new WorkerHandle(fork(), {
      number,
      othersServe,
      onFleetWanted: (asking, id) => void this.#fleet().then((report) => asking.answerFleet(id, report)),
    })
    this.#workers.add(worker)
    void worker.ended.then((ending) => this.#gone(worker, ending, now() - startedAt))
    return worker
  }

  async #fleet(): Promise<FleetReport> {
    const serving = [...this.#workers].filter(({ isListening }) => isListening)
    const reports = await Promise.all(serving.map((worker) => worker.report()))
    return { workers: reports.filter((report) => report !== undefined), ended: this.#ended }
  }

  #gone(worker: WorkerHandle, ending: ProcessEnding, livedMs: number): void {
    this.#workers.delete(worker)
    this.#ended = mergeMetrics([this.#ended, countsOf(worker.lastReport?.metrics ?? [])])
    if (this.#isEnding) {
      if (this.#workers.size === 0) this.#finish(this.#code)
    } else if (!worker.isLeaving) this.#lost(worker, ending, livedMs)
  }

  /** It ended by itself. */
  #lost(worker: WorkerHandle, { code, signal }: ProcessEnding, livedMs: number): void {
    // What the first one says on standard error is the whole story.
    if (!this.#hasServed) this.#giveUp(code ?? EXIT.failed)
    else {
      const { log } = this.#options
      log.error({ worker: worker.number, pid: worker.pid, code, signal }, 'a worker ended')
      // If another worker has its place already, a restart is under way and continues from here.
      // A worker that a request blocked did start, however short its life was.
      if (this.#holder(worker.number) === undefined) this.#replace(worker.wasStanding ? EARLY_MS : livedMs)
    }
  }

  #replace(livedMs: number): void {
    const { log, count } = this.#options
    this.#failures = livedMs < EARLY_MS ? this.#failures + 1 : 1
    if (this.#failures > MAX_FAILURES + count) {
      log.fatal({ workers: this.#failures }, 'the service ends: its workers end right after their start')
      this.#giveUp(EXIT.failed)
      return
    }
    const delay = this.#failures === 1 ? 0 : backoffMs(RETRY, this.#failures - 1)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#fill(), delay)
  }

  #giveUp(code: number): void {
    this.#code = code
    this.end()
  }
}

/** Whether a worker got to serve before it ended. */
function serves(worker: WorkerHandle): Promise<boolean> {
  return Promise.race([worker.listening.then(() => true), worker.ended.then(() => false)])
}
