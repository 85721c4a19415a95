import type { MemoryState } from '../../state/contract/context-state.js'
import type { LeaseObserver } from '../../state/lease-observer.js'
import type { SessionStore } from '../../state/state-store.js'
import type { Tracer } from '../../util/telemetry/tracer.js'
import type { Clock } from '../../util/time/clock.js'
import type { TurnEvent, WireUsage } from '../cycle/turn-event.js'
import type { HookExecutor } from '../hook-executor.js'
import type { HookedModel } from '../hooked-model.js'
import type { AgentSource } from '../prepared-agent.js'
import type { ApprovalAnswer } from './approvals.js'

/** The dependencies of sessions; the code that creates them closes them. */
export interface SessionRuntime {
  readonly store: SessionStore
  /** Where sessions remember. Default: in the store. */
  readonly memory?: MemoryState | undefined
  /** What the one session is called that the store has, where that is not its id. */
  readonly name?: string | undefined
  readonly agents: AgentSource
  readonly model: HookedModel
  readonly hooks: HookExecutor
  readonly clock: Clock
  /** Longest time of one tool call, in milliseconds. */
  readonly toolTimeoutMs: number
  /** Whether another process continues the turns of one that is gone, where that is safe. Default: it ends them. */
  readonly continuesTurns?: boolean | undefined
  /** How often it is looked whether a followed turn still has somebody who runs it. */
  readonly leaseMs: number
  readonly observer: TurnObserver
  /** Notified of what happens to leases. Default: nobody is. */
  readonly leases?: LeaseObserver | undefined
  /** Makes spans of what runs; undefined for none. */
  readonly tracer?: Tracer | undefined
}

/** How one run of a turn went; a turn that paused has several. */
export interface TurnReport {
  readonly session: string
  readonly turn: number
  readonly agent: string
  readonly requestId: string
  /** Why it ended, `paused`, `cancelled`, or the code of its error. */
  readonly endedBy: string
  readonly durationMs: number
  readonly usage: WireUsage
  /** What was not foreseen, for the log alone. */
  readonly unexpected?: unknown
}

/** A turn that is durably over, or waits for approvals. Without contents. */
export interface SettledTurn {
  readonly session: string
  readonly turn: number
  readonly agent: string
  readonly status: 'completed' | 'failed' | 'cancelled' | 'paused'
  /** Of a failed one: the code of its error. */
  readonly error?: string
  /** Of the whole turn, whichever processes ran it. */
  readonly usage: WireUsage
}

/** Notified of events for metrics and the log, never with contents. */
export interface TurnObserver {
  /** Once for each end and each pause, by the process that has written it. */
  settled?(turn: SettledTurn): void
  event(agent: string, event: TurnEvent): void
  committed(seconds: number): void
  ended(report: TurnReport): void
  decided: ObserveDecision
}

/** Called with every decision of a person about a tool call, of turns and of tasks. */
export type ObserveDecision = (decision: ApprovalAnswer['decision']) => void

/** Of sessions that nobody watches. */
export const UNOBSERVED: TurnObserver = Object.freeze({
  event() {},
  committed() {},
  ended() {},
  decided() {},
})
