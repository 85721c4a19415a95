import { MAX_CIRCUITS } from '../limits.js'
import { type Backoff, backoffMs } from './backoff.js'
import type { CircuitState, Verdict } from './circuit.js'

export interface StreakOptions {
  /** Consecutive failures that open a circuit. */
  readonly failures: number
  /** How long it stays open: after its first failure, and after each failed probe. */
  readonly cooldown: Backoff
  readonly now: () => number
  /** What a call gets that is not let through. */
  refusal(circuit: CircuitStatus, waitMs: number): Error
}

/** The state of one circuit. */
export interface CircuitStatus {
  readonly name: string
  readonly state: CircuitState
  readonly consecutiveFailures: number
  readonly lastError: string
  /** When the next call is let through, in epoch milliseconds, for an open circuit. */
  readonly retryAt: number | undefined
}

/**
 * One circuit per name, judged by failures in a row, so that something dead costs its callers nothing: right for tools,
 * of which there are many and each is called now and then.
 */
export interface StreakBreakers {
  /**
   * Lets a call through, or not. The returned function takes the verdict, once. What has another revision begins again.
   *
   * @throws the refusal
   */
  enter(name: string, revision?: string): (verdict: Verdict, message?: string) => void
  /** Of those with failures. */
  readonly status: readonly CircuitStatus[]
}

interface Circuit {
  readonly name: string
  readonly revision: string
  failures: number
  /** How often it was opened in a row. */
  openings: number
  /** Zero while it is closed. */
  retryAt: number
  probing: boolean
  lastError: string
}

/** Creates breakers of closed circuits. */
export function createStreakBreakers(options: StreakOptions): StreakBreakers {
  return new Circuits(options)
}

/** What is healthy takes no memory: a circuit exists from a name's first failure to its next success. */
class Circuits implements StreakBreakers {
  readonly #options: StreakOptions
  readonly #circuits = new Map<string, Circuit>()

  constructor(options: StreakOptions) {
    this.#options = options
  }

  get status(): readonly CircuitStatus[] {
    return [...this.#circuits.values()].map((circuit) => toStatus(circuit, this.#options.now()))
  }

  enter(name: string, revision = ''): (verdict: Verdict, message?: string) => void {
    const known = this.#circuits.get(name)
    if (known !== undefined && known.revision !== revision) this.#circuits.delete(name)
    const circuit = this.#circuits.get(name)
    const probe = circuit !== undefined && circuit.retryAt > 0
    if (probe) this.#assertMayProbe(circuit)
    if (probe) circuit.probing = true
    return (verdict, message = '') => {
      if (probe) circuit.probing = false
      if (verdict === 'healthy') this.#circuits.delete(name)
      if (verdict === 'unhealthy') this.#fail(name, revision, probe, message)
    }
  }

  #assertMayProbe(circuit: Circuit): void {
    const { now, refusal } = this.#options
    const time = now()
    if (time >= circuit.retryAt && !circuit.probing) return
    throw refusal(toStatus(circuit, time), Math.max(0, circuit.retryAt - time))
  }

  #fail(name: string, revision: string, probe: boolean, message: string): void {
    const { failures, cooldown, now } = this.#options
    const circuit = this.#circuits.get(name) ?? this.#remember(name, revision)
    // The late failure of a call by an older revision.
    if (circuit.revision !== revision) return
    circuit.failures += 1
    circuit.lastError = message
    if (!probe && (circuit.retryAt > 0 || circuit.failures < failures)) return
    circuit.openings += 1
    circuit.retryAt = now() + backoffMs(cooldown, circuit.openings)
  }

  #remember(name: string, revision: string): Circuit {
    const oldest = this.#circuits.size >= MAX_CIRCUITS ? this.#circuits.keys().next().value : undefined
    if (oldest !== undefined) this.#circuits.delete(oldest)
    const circuit = { name, revision, failures: 0, openings: 0, retryAt: 0, probing: false, lastError: '' }
    this.#circuits.set(name, circuit)
    return circuit
  }
}

function toStatus({ name, failures, lastError, retryAt }: Circuit, now: number): CircuitStatus {
  const isOpen = retryAt > 0
  const rests = isOpen && now < retryAt
  return {
    name,
    state: !isOpen ? 'closed' : rests ? 'open' : 'half_open',
    consecutiveFailures: failures,
    lastError,
    retryAt: rests ? retryAt : undefined,
  }
}
