import type { CallCost } from '../api.js'
import { flattened } from '../format/in-one-piece.js'
import { outputLimit } from '../limit-errors.js'
import type { Site } from '../site.js'
import type { Value } from '../value.js'
import { sizeOfResult } from './allocation.js'
import type { Budget } from './budget.js'
import { callFailed } from './call-failed.js'
import { costOfCall } from './cost-of-call.js'
import { ignoreFailure, isPendingValue, isPromise, nilForMissing, type Pending } from './pending.js'
import type { ValueBoundary } from './value-boundary.js'

/** A call, for its charges and its errors. */
interface ChargedCall {
  readonly name: string
  /** The whole command. */
  readonly callSite: Site
  /** Whether a run that starts again takes its result from the run before. */
  readonly isReplayed?: boolean
}

/** What arguments need of the run they are read in. */
interface ArgumentHost {
  readonly budget: Budget
  readonly boundary: Pick<ValueBoundary, 'adopt' | 'adoptTop'>
}

/** What a charged call needs of its run. */
interface ChargingHost extends ArgumentHost {
  readonly calls: {
    defer(inputs: readonly Value[], compute: (settled: Value[]) => Value): Value
    later(work: () => Value): Pending
  }
}

/** A kind of charged call: what a call of it costs, and what it does. */
export interface ChargedWork<Host extends ChargingHost, Call extends ChargedCall> {
  costOf(call: Call): CallCost
  /** True if a call reads all that lists and dicts hold, false if only the lists and dicts themselves. */
  isDeep(call: Call): boolean
  /** True if an argument that arrives without a value is nil. */
  readonly takesNil?: true
  /** What is charged of the arguments. Default: all. */
  charged?(values: Value[]): Value[]
  /** @param hasWaited whether this is the run's next turn */
  perform(host: Host, call: Call, values: Value[], hasWaited: boolean): Value
}

/** In place of a result: the call has to wait for the run's next turn, and goes to `Calls.later`. */
export const NOT_YET = Symbol('not yet')

/** What has cost more than these units may have made a text of very many parts, which a variable would keep. */
const WORTH_FLATTENING = 100_000

/**
 * A charged call from its beginning: arguments that are pending delay it, those from outside become values of the engine,
 * and what is too much for this turn goes to the run's next one.
 *
 * @throws TemplateError, or SUSPEND if the run should continue in another mode
 */
export function performArrived<Host extends ChargingHost, Call extends ChargedCall>(
  host: Host,
  call: Call,
  given: Value[],
  work: ChargedWork<Host, Call>,
  hasWaited = false,
): Value {
  if (given.some(isPendingValue)) {
    return host.calls.defer(given, (settled) =>
      performArrived(host, call, work.takesNil ? settled.map(nilForMissing) : settled, work),
    )
  }
  const values = adoptArguments(host, call, given, work.isDeep(call))
  const charged = work.charged?.(values) ?? values
  const perform = () => work.perform(host, call, values, hasWaited)
  const result = performCharged(host.budget, call, work.costOf(call), charged, perform, hasWaited)
  if (result !== NOT_YET) return result
  return host.calls.later(() => performArrived(host, call, values, work, true))
}

/**
 * The protocol of a call with evaluated arguments, for builtins, printf, comparisons and functions: charges what it
 * reads before it runs, reports its error at its own position, and counts what it creates.
 *
 * @param perform gets what is charged
 * @param hasWaited whether this is the run's next turn
 * @returns the result, or `NOT_YET`
 * @throws TemplateError, or SUSPEND if the run should continue in another way
 */
export function performCharged<Call extends ChargedCall, Result>(
  budget: Budget,
  call: Call,
  cost: CallCost,
  values: Value[],
  perform: (call: Call, values: Value[], budget: Budget) => Result,
  hasWaited = false,
): Result | typeof NOT_YET {
  let result: Result | undefined
  try {
    const units = costOfCall(cost, values, budget)
    // To find out what it costs may take long: who waited for that is not sent away again.
    if (hasWaited) budget.charge(call.callSite, units)
    else if (!budget.admits(call.callSite, units)) return NOT_YET
    result = perform(call, values, budget)
    if (cost.makes) countResult(budget, call, result, units)
    if (units > WORTH_FLATTENING && typeof result === 'string') flattened(result)
    return result
  } catch (error) {
    // Nobody waits for what it began.
    if (isPromise(result)) ignoreFailure(result)
    throw callFailed(call, error, budget)
  }
}

/** @throws TemplateError, LimitError if it is too much */
function countResult(budget: Budget, call: ChargedCall, result: unknown, units: number): void {
  if (typeof result === 'string' && result.length > budget.maxOutput) {
    throw outputLimit(call.callSite, budget.maxOutput)
  }
  const size = sizeOfResult(result, units)
  if (call.isReplayed === true) budget.make(size)
  else budget.makeAgain(size)
}

/** What a call reads, as values of the engine: all that lists and dicts hold, or themselves alone. @throws TemplateError */
function adoptArguments(
  { boundary, budget }: ArgumentHost,
  call: ChargedCall,
  values: Value[],
  isDeep: boolean,
): Value[] {
  let adopted = values
  try {
    for (let index = 0; index < values.length; index++) {
      const value = values[index]
      if (typeof value !== 'object' || value === null) continue
      const own = isDeep ? boundary.adopt(value) : boundary.adoptTop(value)
      if (own === value) continue
      if (adopted === values) adopted = values.slice()
      adopted[index] = own
    }
    return adopted
  } catch (error) {
    throw callFailed(call, error, budget)
  }
}

/** The end of the protocol alone, for a text that was printed at once because it is short to print. @throws TemplateError */
export function countMade(budget: Budget, call: ChargedCall, text: string): string {
  try {
    countResult(budget, call, text, 0)
    return text
  } catch (error) {
    throw callFailed(call, error, budget)
  }
}
