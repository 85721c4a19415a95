import { isInSlice, NotReady } from '../../util/slices/slice.js'
import type { FunctionLookup } from '../api.js'
import type { Site } from '../site.js'
import type { Value } from '../value.js'
import { Answers } from './answers.js'
import { resume } from './arrival.js'
import { Bindings } from './bindings.js'
import type { Budget } from './budget.js'
import { type BoundCall, type CallSite, toResult } from './call.js'
import { callFailed } from './call-failed.js'
import { NOT_YET, performCharged } from './charged-call.js'
import { Delays } from './delays.js'
import { assertFew, Flights } from './flights.js'
import type { Output } from './output.js'
import {
  follow,
  ignoreFailure,
  isPendingValue,
  isPromise,
  nilForMissing,
  Pending,
  settle,
  whenDone,
} from './pending.js'
import { sliceIsOver } from './slices.js'
import type { ValueBoundary } from './value-boundary.js'

/** The calls of one render: their functions, their results, and what is still under way. */
export class Calls {
  /** Every asynchronous result, in the order of the text. */
  pendings: Pending[] | null = null
  /** What the run waits for at its next pause, once something had to wait. */
  delays: Delays | null = null
  readonly #budget: Budget
  readonly #output: Output
  readonly #boundary: ValueBoundary
  readonly #bindings: Bindings
  /** Results of the calls of an abandoned run, which the next one takes instead of calling again. */
  #log: unknown[] | null
  #replayed = 0
  #flights: Flights | null = null
  /** Calls that wait for the slice to be over. */
  #leaving = 0
  #answers: Answers | null = null

  constructor(budget: Budget, output: Output, boundary: ValueBoundary, functions?: FunctionLookup) {
    this.#budget = budget
    this.#output = output
    this.#boundary = boundary
    this.#bindings = new Bindings(functions)
    this.#log = budget.mode === 'optimistic' ? [] : null
  }

  /** What functions answered whose missing fields are nothing. */
  get answers(): Answers {
    this.#answers ??= new Answers()
    return this.#answers
  }

  get #waiting(): Delays {
    const here = () => ({ segments: this.#output.count, pendings: this.pendings?.length ?? 0 })
    this.delays ??= new Delays(this.#budget, here)
    return this.delays
  }

  /** Forgets what belongs to one render. */
  rest(): void {
    if (this.#answers !== null) this.#answers = null
  }

  /** The run never starts again. */
  forgetResults(): void {
    this.#log = null
  }

  /** Finds the function of a call and checks the number of arguments. @throws TemplateError */
  resolve(site: CallSite): BoundCall {
    return this.#bindings.resolve(site)
  }

  /** Calls a function with checked arguments; arguments that are pending delay the call, not the run. */
  invoke(bound: BoundCall, values: Value[]): Value {
    const log = this.#log
    if (log !== null && this.#budget.mode === 'cooperative') {
      if (this.#replayed < log.length) return log[this.#replayed++]
      this.#log = null
    }
    const result = this.#start(bound, values)
    if (this.#log !== null) this.#log.push(result)
    return result
  }

  /** Does more with values that are still under way, once they are there. */
  defer(inputs: readonly Value[], compute: (settled: Value[]) => Value): Value {
    return this.deferRead(inputs, (settled) => compute(settled) ?? undefined)
  }

  /** Defers a computation whose result may be nil, which is a value that is there. */
  deferRead(inputs: readonly Value[], compute: (settled: Value[]) => Value): Value {
    this.#waiting.defer()
    const work = async (): Promise<Value> => {
      const settled: Value[] = []
      for (const input of inputs) settled.push(input instanceof Pending ? await input.$promise : input)
      return this.#waiting.goOn(() => compute(settled)).then(settle)
    }
    return this.#track(work())
  }

  /** Does work in the run's next turn; the end of the statement waits for it. */
  later(work: () => Value | Promise<Value>): Pending {
    const inTurn = () => settle(this.#budget.slice(work))
    this.#waiting.begin()
    return this.#track(this.#budget.giveWay().then(inTurn))
  }

  /** The place of the first call that is still pending. */
  get waitingSite(): Site | null {
    return this.pendings?.find(({ $state }) => $state === 'waiting')?.$site ?? null
  }

  #start(bound: BoundCall, given: Value[], hasWaited = false): Value {
    // What is there by now is not waited for: a variable would hold one wait for the other without an end.
    const values = given.some(isPendingValue) ? given.map(whenDone) : given
    if (values.some(isPendingValue)) {
      return this.defer(values, (settled) => this.#start(bound, settled.map(nilForMissing)))
    }
    if (bound.isPlain && this.#budget.mayWait && isInSlice()) {
      this.#orFailed(bound, () => assertFew(this.#leaving))
      return this.#outside(bound, values, hasWaited)
    }
    const flights = this.#flights
    if (flights?.mustWait(bound.call)) {
      const turn = this.#orFailed(bound, () => flights.turn())
      return this.#track(this.#callAfter(turn, flights, bound, values), bound.site.callSite)
    }
    const result = this.#call(bound, values, hasWaited)
    return isPromise(result) ? this.#watch(bound, result) : result
  }

  /** Calls a function of others once the slice is over: nothing that it begins may be ended half done. */
  #outside(
    bound: BoundCall,
    values: Value[],
    hasWaited: boolean,
    prepare?: () => void | Promise<void>,
  ): Pending {
    const called = async () => {
      this.#leaving++
      await sliceIsOver()
      this.#leaving--
      await prepare?.()
      return settle(this.#inSlice(bound, () => this.#start(bound, values, hasWaited)))
    }
    return this.#track(called(), bound.site.callSite)
  }

  /** Calls a function of the engine in a slice. */
  #inSlice<Result>({ isPlain }: BoundCall, call: () => Result): Result {
    return isPlain ? call() : this.#budget.slice(call)
  }

  #orFailed<Result>(bound: BoundCall, work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      throw callFailed(bound.site, error, this.#budget)
    }
  }

  /** Calls that end at once follow each other without a turn of the loop in between, unless they take too long. */
  async #callAfter(turn: Promise<void>, flights: Flights, bound: BoundCall, values: Value[]): Promise<Value> {
    await turn
    const call = () => this.#inSlice(bound, () => this.#call(bound, values, false))
    return (await settle(await resume(this.#budget, () => flights.arrive(call)))) ?? undefined
  }

  #call(bound: BoundCall, values: Value[], hasWaited: boolean): unknown {
    const budget = this.#budget
    budget.checkStopped()
    let result: unknown
    try {
      result = performCharged(budget, bound, bound.cost, values, callFunction, hasWaited)
    } catch (error) {
      if (error instanceof NotReady && budget.mayWait) {
        return this.#outside(bound, values, hasWaited, error.prepare)
      }
      throw error
    }
    if (result === NOT_YET) return this.later(() => this.#start(bound, values, true))
    if (isPromise(result)) return this.#flight(bound, result)
    this.#flights?.answered(bound.call)
    if (bound.isPlain) return this.#result(bound, result)
    return bound.returnsAsIs ? (result ?? null) : toResult(result, bound.returns)
  }

  /** What a function returned, as a value of the engine. @throws ForeignValueError */
  #result({ takes, returns, lenient }: BoundCall, result: unknown): Value {
    this.#budget.slices.look(result)
    if (lenient) this.answers.add(result)
    if (takes !== 'plain') return toResult(result, returns)
    const looked = this.#budget.slice(() => this.#boundary.look(result))
    return toResult(looked, returns)
  }

  /** Counts a promise in while it is under way and words its failure. */
  #flight(bound: BoundCall, promise: PromiseLike<unknown>): Promise<Value> {
    this.#flights ??= new Flights(this.#budget.limits.maxParallelCalls)
    const flights = this.#flights
    flights.begin()
    return Promise.resolve(promise).then(
      (value) => {
        flights.end()
        const result = () => this.#result(bound, value) ?? undefined
        // In a text or a number there is nothing to look through.
        return bound.takes === 'plain' && typeof value === 'object' ? resume(this.#budget, result) : result()
      },
      (error: unknown) => {
        flights.end()
        throw callFailed(bound.site, error, this.#budget)
      },
    )
  }

  #watch(bound: BoundCall, promise: PromiseLike<unknown>): Value {
    if (this.#budget.mode !== 'synchronous') return this.#track(promise, bound.site.callSite)
    ignoreFailure(promise)
    const failure = new Error('the function is asynchronous, the render is not')
    throw callFailed(bound.site, failure, this.#budget)
  }

  #track(promise: PromiseLike<unknown>, site: Site | null = null): Pending {
    const pending = new Pending()
    pending.$site = site
    follow(pending, promise)
    this.pendings ??= []
    this.pendings.push(pending)
    return pending
  }
}

function callFunction({ call, takes, scoped }: BoundCall, values: Value[], budget: Budget): unknown {
  const given = takes === 'engine' ? values : budget.slice(() => budget.leave(values, takes))
  return scoped ? call(budget, ...given) : call(...given)
}
