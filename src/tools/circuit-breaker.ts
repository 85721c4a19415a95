import type { BreakerStatus } from './tool.js'
import { ToolFailure } from './tool-failure.js'

export interface BreakerOptions {
  /** Consecutive failures that open the circuit. */
  readonly failures: number
  /** How long it stays open; doubles after each failed probe, up to `maxCooldownMs`. */
  readonly cooldownMs: number
  readonly maxCooldownMs: number
  readonly now: () => number
}

/** What a finished call says about its tool; `neutral` says nothing, such as wrong arguments. */
export type Verdict = 'healthy' | 'unhealthy' | 'neutral'

/** One circuit per tool, so that a dead tool costs its callers nothing but its default value. */
export interface CircuitBreakers {
  /**
   * Lets a call through, or not. The returned function takes the verdict, once. A tool whose document changed
   * begins anew.
   *
   * @throws ToolFailure `circuit_open`
   */
  enter(tool: string, revision?: string): (verdict: Verdict, message?: string) => void
  readonly status: readonly BreakerStatus[]
}

interface Circuit {
  readonly revision: string
  failures: number
  cooldownMs: number
  /** Zero while the circuit is closed. */
  retryAt: number
  probing: boolean
  lastError: string
}

/** Tools with failures are remembered; this many at most, oldest dropped first. */
const MAX_CIRCUITS = 10_000

/** Healthy tools take no memory: a circuit exists from a tool's first failure to its next success. */
export function createCircuitBreakers(options: BreakerOptions): CircuitBreakers {
  const circuits = new Map<string, Circuit>()

  function enter(tool: string, revision = ''): (verdict: Verdict, message?: string) => void {
    const known = circuits.get(tool)
    if (known !== undefined && known.revision !== revision) circuits.delete(tool)
    const circuit = circuits.get(tool)
    const probe = circuit !== undefined && circuit.retryAt > 0
    if (probe) assertMayProbe(circuit, options.now())
    if (probe) circuit.probing = true
    return (verdict, message = '') => {
      if (probe) circuit.probing = false
      if (verdict === 'healthy') circuits.delete(tool)
      if (verdict === 'unhealthy') fail(tool, revision, probe, message)
    }
  }

  function fail(tool: string, revision: string, probe: boolean, message: string): void {
    const circuit = circuits.get(tool) ?? remember(tool, revision)
    // The late failure of a call by an older document.
    if (circuit.revision !== revision) return
    circuit.failures += 1
    circuit.lastError = message
    if (probe) circuit.cooldownMs = Math.min(circuit.cooldownMs * 2, options.maxCooldownMs)
    const opens = probe || (circuit.retryAt === 0 && circuit.failures >= options.failures)
    if (opens) circuit.retryAt = options.now() + circuit.cooldownMs
  }

  function remember(tool: string, revision: string): Circuit {
    const oldest = circuits.size >= MAX_CIRCUITS ? circuits.keys().next().value : undefined
    if (oldest !== undefined) circuits.delete(oldest)
    const circuit = {
      revision,
      failures: 0,
      cooldownMs: options.cooldownMs,
      retryAt: 0,
      probing: false,
      lastError: '',
    }
    circuits.set(tool, circuit)
    return circuit
  }

  return {
    enter,
    get status() {
      return [...circuits].map(([tool, circuit]) => toStatus(tool, circuit, options.now()))
    },
  }
}

function assertMayProbe(circuit: Circuit, now: number): void {
  if (now >= circuit.retryAt && !circuit.probing) return
  const wait = Math.max(0, circuit.retryAt - now)
  throw new ToolFailure(
    'circuit_open',
    `failed ${circuit.failures} times in a row and is not called for another ${wait} ms; last: ${circuit.lastError}`,
  )
}

function toStatus(tool: string, circuit: Circuit, now: number): BreakerStatus {
  const open = circuit.retryAt > 0
  const resting = open && now < circuit.retryAt
  return {
    tool,
    state: !open ? 'closed' : resting ? 'open' : 'half_open',
    consecutiveFailures: circuit.failures,
    lastError: circuit.lastError,
    retryAt: resting ? new Date(circuit.retryAt).toISOString() : undefined,
  }
}
