import type { Worker } from 'node:cluster'
import type { Fleet } from '../../http/status/fleet.js'
import { mergeMetrics } from './merge-metrics.js'
import { type FleetReport, isToWorker, type ToPrimary, type ToWorker, type WorkerReport } from './messages.js'
import { Questions } from './questions.js'

/** Longer than the primary waits for the others. */
const PATIENCE_MS = 2_000

type Start = Pick<Extract<ToWorker, { readonly kind: 'start' }>, 'number' | 'othersServe'>

/** A worker's end of the channel to the primary. */
export class FleetLink implements Fleet {
  readonly #worker: Worker
  readonly #onEnd: (why: 'end' | 'retire') => void
  readonly #questions = new Questions<FleetReport>(PATIENCE_MS)
  #started: (start: Start) => void = () => {}
  #report: (() => Promise<WorkerReport>) | undefined

  /** @param onEnd called when this worker should end */
  constructor(worker: Worker, onEnd: (why: 'end' | 'retire') => void) {
    this.#worker = worker
    this.#onEnd = onEnd
    worker.on('message', (message: unknown) => {
      if (isToWorker(message)) this.#heard(message)
    })
  }

  /** Says that this worker is there; resolves when it is asked to start. */
  start(): Promise<Start> {
    return new Promise((resolve) => {
      this.#started = resolve
      this.#send({ kind: 'hello' })
    })
  }

  /** Reports that this worker serves. From now on the primary asks for its state, and it sends a beat at this interval; 0: never. */
  listening(report: () => Promise<WorkerReport>, beatEveryMs: number): void {
    this.#report = report
    this.#send({ kind: 'listening' })
    if (beatEveryMs > 0) setInterval(() => this.#send({ kind: 'beat' }), beatEveryMs).unref()
  }

  /** Leaves its counts behind, and the channel, which would keep the process alive. */
  async farewell(): Promise<void> {
    const report = await this.#report?.()
    if (report !== undefined) this.#send({ kind: 'farewell', report })
    if (this.#worker.isConnected()) this.#worker.disconnect()
  }

  async metrics(): ReturnType<Fleet['metrics']> {
    const { workers, ended } = await this.#fleet()
    return mergeMetrics([...workers.map(({ metrics }) => metrics), ended])
  }

  async workers(): ReturnType<Fleet['workers']> {
    const { workers } = await this.#fleet()
    return workers.map(({ status }) => status)
  }

  /** Without the primary, a worker speaks for itself. */
  async #fleet(): Promise<FleetReport> {
    const found = await this.#questions.ask((id) => this.#send({ kind: 'fleet-wanted', id }))
    if (found !== undefined) return found
    const own = await this.#report?.()
    return { workers: own === undefined ? [] : [own], ended: [] }
  }

  #heard(message: ToWorker): void {
    if (message.kind === 'start') this.#started(message)
    else if (message.kind === 'fleet') this.#questions.answered(message.id, message.report)
    else if (message.kind === 'report-wanted') void this.#answer(message.id)
    else this.#onEnd(message.kind)
  }

  async #answer(id: number): Promise<void> {
    const report = await this.#report?.()
    if (report !== undefined) this.#send({ kind: 'report', id, report })
  }

  #send(message: ToPrimary): void {
    if (this.#worker.isConnected()) this.#worker.send(message)
  }
}
