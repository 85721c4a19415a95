import type { Value } from '../value.js'
import type { Calls } from './calls.js'
import type { Output } from './output.js'
import type { Pending } from './pending.js'
import { formatPrinted, type PrintingRun } from './print.js'
import type { Steps } from './steps.js'

/** A run with calls that wait for its next turn. */
interface DelayedRun extends PrintingRun {
  readonly calls: Calls
  readonly output: Output
  readonly trace: { settled(pending: Pending, length: number): void } | null
  need(pending: Pending): Steps<Value>
}

/** Waits for what a statement left for later, and all that depends on it, and puts its texts into the output. */
export function* settleDelayed(run: DelayedRun): Steps<void> {
  const { delays } = run.calls
  if (delays === null || delays.since === null) return
  const { pendings, segments } = delays.since
  yield* needAll(run, pendings)
  printSettled(run, segments)
  delays.clear()
}

function* needAll(run: DelayedRun, start: number): Steps<void> {
  const pendings = run.calls.pendings ?? []
  // More may come while these are waited for.
  for (let i = start; i < pendings.length; i++) {
    const pending = pendings[i]
    if (pending !== undefined) yield* run.need(pending)
  }
  pendings.length = start
  if (start === 0) run.calls.pendings = null
}

function printSettled(run: DelayedRun, start: number): void {
  run.output.fill(start, (pending) => {
    if (pending.$state !== 'done' || typeof pending.$value !== 'string') return undefined
    const text = formatPrinted(run, pending.$value)
    run.trace?.settled(pending, text.length)
    return text
  })
}
