import type { Worker } from 'node:cluster'
import { isToPrimary, type ToPrimary, type ToWorker, type WorkerReport } from './messages.js'
import { Questions } from './questions.js'

/** A worker that is busy for longer is shown as it was when it last answered. */
const PATIENCE_MS = 1_000
const LAST_LINES_MS = 500

/** How a process ended: with a code or by a signal. */
export interface ProcessEnding {
  readonly code: number | null
  readonly signal: string | null
}

/** What a new worker is started with, and how it asks about the others. */
export interface WorkerStart {
  readonly number: number
  readonly othersServe: boolean
  onFleetWanted(worker: WorkerHandle, id: number): void
}

/** The primary's end of the channel to one worker. */
export class WorkerHandle {
  readonly number: number
  /** Resolves when it serves. */
  readonly listening: Promise<void>
  readonly ended: Promise<ProcessEnding>
  readonly #worker: Worker
  readonly #questions = new Questions<WorkerReport>(PATIENCE_MS)
  #listens: () => void = () => {}
  #isListening = false
  #hasBegun = false
  #isLeaving = false
  #beats = 0
  #wasStanding = false
  #lastReport: WorkerReport | undefined

  constructor(worker: Worker, { number, othersServe, onFleetWanted }: WorkerStart) {
    this.number = number
    this.#worker = worker
    this.listening = new Promise((resolve) => {
      this.#listens = resolve
    })
    this.ended = new Promise((resolve) => {
      worker.process.once('exit', (code, signal) => {
        const settle = () => resolve({ code, signal })
        // What it logged last may be on its way, and perhaps nobody reads it.
        worker.process.once('close', settle)
        setTimeout(settle, LAST_LINES_MS)
      })
    })
    worker.on('message', (message: unknown) => {
      if (!isToPrimary(message)) return
      if (message.kind === 'hello') this.#begin({ kind: 'start', number, othersServe })
      else if (message.kind === 'fleet-wanted') onFleetWanted(this, message.id)
      else if (message.kind === 'beat') this.#beats += 1
      else this.#heard(message)
    })
    // A message to a process that just exited fails; the exit is reported anyway.
    worker.on('error', () => {})
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  get isListening(): boolean {
    return this.#isListening
  }

  /** Whether it was asked to end. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** How often its event loop has said that it turns. */
  get beats(): number {
    return this.#beats
  }

  /** Whether it was killed because its event loop was blocked. */
  get wasStanding(): boolean {
    return this.#wasStanding
  }

  /** Ends it at once: it hears nothing any more. */
  killStanding(): void {
    this.#wasStanding = true
    this.#worker.process.kill('SIGKILL')
  }

  /** What is known of it without asking. */
  get lastReport(): WorkerReport | undefined {
    return this.#lastReport
  }

  /** How it is now, or was when it last said. */
  async report(): Promise<WorkerReport | undefined> {
    const now = await this.#questions.ask((id) => this.#send({ kind: 'report-wanted', id }))
    if (now !== undefined) this.#lastReport = now
    return this.#lastReport
  }

  answerFleet(id: number, report: Extract<ToWorker, { readonly kind: 'fleet' }>['report']): void {
    this.#send({ kind: 'fleet', id, report })
  }

  /** Asks it to end; it is killed if it has not ended after `limitMs`. */
  leave(why: 'end' | 'retire', limitMs: number): void {
    this.#isLeaving = true
    this.#send({ kind: why })
    // One that does not listen to messages yet has nothing to close.
    const timer = setTimeout(() => this.#worker.process.kill('SIGKILL'), this.#hasBegun ? limitMs : 0)
    void this.ended.then(() => clearTimeout(timer))
  }

  #begin(start: Extract<ToWorker, { readonly kind: 'start' }>): void {
    this.#hasBegun = true
    this.#send(start)
  }

  #heard(message: Extract<ToPrimary, { readonly kind: 'listening' | 'report' | 'farewell' }>): void {
    if (message.kind === 'listening') {
      this.#isListening = true
      this.#listens()
      return
    }
    this.#lastReport = message.report
    if (message.kind === 'report') this.#questions.answered(message.id, message.report)
  }

  #send(message: ToWorker): void {
    if (this.#worker.isConnected()) this.#worker.send(message)
  }
}
