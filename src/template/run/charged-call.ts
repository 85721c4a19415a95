import type { CallCost } from '../api.js'
import { outputLimit } from '../limit-errors.js'
import type { Site } from '../site.js'
import type { Value } from '../value.js'
import type { Border } from './border.js'
import type { Budget } from './budget.js'
import { callFailed } from './call-failed.js'
import { costOfCall } from './cost-of-call.js'
import { sizeOfResult } from './made.js'
import { ignoreFailure, isPromise } from './pending.js'

/** A call as its charges and its failures are told. */
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
  readonly border: Pick<Border, 'adopt' | 'adoptTop'>
}

/** In place of a result: the call has to wait for the run's next turn, and goes to `Calls.later`. */
export const NOT_YET = Symbol('not yet')

/**
 * The protocol of a call whose arguments are there, the one for builtins, printf, comparisons and functions: what it reads
 * is charged before it is done, its failure is told at its own place, and what it makes is counted.
 *
 * @param perform gets what is charged
 * @param hasWaited whether this is the run's next turn
 * @returns the result, or `NOT_YET`
 * @throws TemplateError, or SUSPEND if the run should go on in another way
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
export function adoptArguments(
  { border, budget }: ArgumentHost,
  call: ChargedCall,
  values: Value[],
  isDeep: boolean,
): Value[] {
  if (!values.some(isObject)) return values
  try {
    return values.map((value) => (isDeep ? border.adopt(value) : border.adoptTop(value)))
  } catch (error) {
    throw callFailed(call, error, budget)
  }
}

function isObject(value: Value): boolean {
  return typeof value === 'object' && value !== null
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
