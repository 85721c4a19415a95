import { Gate, type GateLimits } from '../transport/resilience/gate.js'
import type { CancelSignal } from '../util/cancellation.js'
import { getOrCreate } from '../util/get-or-create.js'
import { ToolFailure } from './tool-failure.js'

/** Lets this many calls of one name through at once; the others wait in order. */
export interface Gates {
  /**
   * Enters the gate of this name, at once or after waiting; the returned function leaves it.
   *
   * @throws ToolFailure `overloaded` when too many wait, `cancelled` when the signal aborts first
   */
  enter(name: string, signal: CancelSignal): Promise<() => void>
  readonly inFlight: number
}

/** One gate per name; a gate that nobody uses is forgotten. */
export function createGates(limits: GateLimits): Gates {
  const gates = new Map<string, Gate>()
  let inFlight = 0

  return {
    async enter(name, signal) {
      const gate = getOrCreate(gates, name, () => new Gate(limits, refusalsFor(name)))
      const turn = gate.enter(signal)
      if (turn !== undefined) await turn
      inFlight += 1
      return () => {
        inFlight -= 1
        gate.leave()
        if (gate.active === 0) gates.delete(name)
      }
    },
    get inFlight() {
      return inFlight
    },
  }
}

function refusalsFor(name: string) {
  const cancelled = () => new ToolFailure('cancelled', `gave up waiting for ${name}`)
  return {
    crowded: (waiting: number) => new ToolFailure('overloaded', `${waiting} calls wait for ${name} already`),
    late: cancelled,
    cancelled,
  }
}
