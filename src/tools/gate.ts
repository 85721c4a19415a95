import type { CancelSignal } from '../util/cancellation.js'
import { ToolFailure } from './tool-failure.js'

/** Lets so many calls through at once; the others wait in order. */
export interface Gates {
  /**
   * Enters the gate of this name, at once or after waiting; the returned function leaves it.
   *
   * @throws ToolFailure `overloaded` when too many wait, `cancelled` when the signal aborts first
   */
  enter(name: string, signal: CancelSignal): Promise<() => void>
  readonly inFlight: number
}

export interface GateOptions {
  readonly limit: number
  readonly maxWaiting: number
}

interface Gate {
  running: number
  readonly waiting: Set<() => void>
}

/** One gate per name; a gate that nobody uses is forgotten. */
export function createGates(options: GateOptions): Gates {
  const gates = new Map<string, Gate>()
  let inFlight = 0

  async function enter(name: string, signal: CancelSignal): Promise<() => void> {
    const gate = gates.get(name) ?? { running: 0, waiting: new Set() }
    gates.set(name, gate)
    if (gate.running >= options.limit) await waitIn(gate, name, signal, options.maxWaiting)
    else gate.running += 1
    inFlight += 1
    return () => leave(name, gate)
  }

  /** The place of a call that leaves goes straight to the next one: `running` stays. */
  function leave(name: string, gate: Gate): void {
    inFlight -= 1
    const [next] = gate.waiting
    if (next !== undefined) next()
    else gate.running -= 1
    if (gate.running === 0) gates.delete(name)
  }

  return {
    enter,
    get inFlight() {
      return inFlight
    },
  }
}

function waitIn(gate: Gate, name: string, signal: CancelSignal, maxWaiting: number): Promise<void> {
  if (gate.waiting.size >= maxWaiting) {
    throw new ToolFailure('overloaded', `${gate.waiting.size} calls wait for ${name} already`)
  }
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      gate.waiting.delete(proceed)
      signal.removeEventListener('abort', giveUp)
      then()
    }
    const proceed = () => settle(resolve)
    const giveUp = () => settle(() => reject(new ToolFailure('cancelled', `gave up waiting for ${name}`)))
    gate.waiting.add(proceed)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
}
