import type { Value } from '../value.js'
import { type Arriving, arrive } from './arrival.js'
import type { Budget } from './budget.js'
import type { Pending } from './pending.js'

/** Asked for by steps that let others run. */
export const GIVE_WAY = Symbol('give way')

/**
 * Work that may have to wait: each step is done at a stretch, and yields what the next one waits for. A result that it
 * waits for comes back as the value of the `yield`, or is thrown there.
 */
export type Steps<Result> = Generator<Pending | typeof GIVE_WAY, Result, Value>

/** What does work in steps needs of its run. */
interface Stepping {
  readonly budget: Arriving & Pick<Budget, 'slice' | 'isSliceOver'>
}

/** Does work in steps, each of them a slice of the run, and waits in between. */
export async function takeSteps<Result>({ budget }: Stepping, steps: Steps<Result>): Promise<Result> {
  let value: Value
  let failure: { readonly error: unknown } | undefined
  const resume = () => {
    let step = failure === undefined ? steps.next(value) : steps.throw(failure.error)
    // What is there already takes no slice of its own: a run may have thousands of results.
    while (step.done !== true && step.value !== GIVE_WAY && step.value.$state === 'done') {
      if (budget.isSliceOver()) break
      step = steps.next(step.value.$value)
    }
    return step
  }
  for (;;) {
    const step = budget.slice(resume)
    if (step.done === true) return step.value
    const wanted = step.value
    failure = undefined
    let turn: Promise<void> | undefined
    if (wanted === GIVE_WAY) turn = budget.giveWay()
    else if (wanted.$state === 'done') {
      value = wanted.$value
      turn = budget.giveWay()
    } else {
      budget.slices.leave()
      try {
        value = await wanted.$promise
      } catch (error) {
        failure = { error }
      }
      turn = arrive(budget)
    }
    if (turn === undefined) continue
    try {
      await turn
    } catch (error) {
      failure = { error }
    }
  }
}
