import type { FunctionLookup } from '../api.js'
import { quote } from '../format/quote.js'
import { execError, type Site } from '../site.js'
import type { Value } from '../value.js'
import { Answers } from './answers.js'
import type { Border } from './border.js'
import type { Budget } from './budget.js'
import { BoundCall, type CallSite, toResult } from './call.js'
import { callFailed } from './call-failed.js'
import { NOT_YET, performCharged } from './charged-call.js'
import { Flights } from './flights.js'
import type { Output } from './output.js'
import { follow, ignoreFailure, isPromise, Pending } from './pending.js'

/** Where the parts and the pendings begin of a statement whose calls wait for the run's next turn. */
export interface Delayed {
  readonly parts: number
  readonly pendings: number
}

/** The calls of one render: their functions, their results, and what is still under way. */
export class Calls {
  /** Every asynchronous result, in the order of the text. */
  pendings: Pending[] | null = null
  /** Set while calls of a statement wait for the run's next turn. */
  delayed: Delayed | null = null
  readonly #budget: Budget
  readonly #output: Output
  readonly #border: Border
  readonly #functions: FunctionLookup | undefined
  /** Results of the calls of an abandoned run, which the next one takes instead of calling again. */
  #log: unknown[] | null
  #replayed = 0
  #flights: Flights | null = null
  #answers: Answers | null = null

  constructor(budget: Budget, output: Output, border: Border, functions: FunctionLookup | undefined) {
    this.#budget = budget
    this.#output = output
    this.#border = border
    this.#functions = functions
    this.#log = budget.mode === 'optimistic' ? [] : null
  }

  /** What functions answered whose missing fields are nothing. */
  get answers(): Answers {
    this.#answers ??= new Answers()
    return this.#answers
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
    const target = this.#functions?.get(site.name) ?? site.functions.get(site.name)
    if (site.bound !== null && site.bound.target === target) return site.bound
    if (target === undefined) {
      throw execError(site.nameSite, `${quote(site.name)} is not a defined function`)
    }
    const bound = new BoundCall(site, target)
    site.bound = bound
    return bound
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

  /** The same for what may be nil, a value that is there. */
  deferRead(inputs: readonly Value[], compute: (settled: Value[]) => Value): Value {
    const work = async (): Promise<Value> => {
      const settled: Value[] = []
      for (const input of inputs) settled.push(await settle(input))
      return settle(compute(settled))
    }
    return this.#track(work())
  }

  /** Does work in the run's next turn; the end of the statement waits for it. */
  later(work: () => Value | Promise<Value>): Pending {
    const promise = this.#budget.giveWay().then(() => settle(work()))
    this.delayed ??= { parts: this.#output.parts?.length ?? 0, pendings: this.pendings?.length ?? 0 }
    return this.#track(promise)
  }

  /** Where the first call stands that is still under way. */
  get waitingSite(): Site | null {
    return this.pendings?.find(({ $state }) => $state === 'waiting')?.$site ?? null
  }

  #start(bound: BoundCall, given: Value[]): Value {
    // What is there by now is not waited for: a variable would hold one wait for the other without an end.
    const values = given.some(isPending) ? given.map(whenDone) : given
    if (values.some(isPending)) {
      return this.defer(values, (settled) => this.#start(bound, settled.map(nilForMissing)))
    }
    const flights = this.#flights
    if (flights?.mustWait(bound.call)) {
      const turn = this.#queue(flights, bound)
      return this.#track(this.#callAfter(turn, flights, bound, values), bound.site.callSite)
    }
    const result = this.#call(bound, values)
    return isPromise(result) ? this.#watch(bound, result) : result
  }

  #queue(flights: Flights, bound: BoundCall): Promise<void> {
    try {
      return flights.turn()
    } catch (error) {
      throw callFailed(bound.site, error, this.#budget)
    }
  }

  /** Calls that end at once follow each other without a turn of the loop in between, unless they take too long. */
  async #callAfter(turn: Promise<void>, flights: Flights, bound: BoundCall, values: Value[]): Promise<Value> {
    await turn
    if (this.#budget.isSliceOver()) await this.#budget.giveWay()
    const value = await settle(flights.arrive(() => this.#call(bound, values)))
    return value ?? undefined
  }

  #call(bound: BoundCall, values: Value[]): unknown {
    const budget = this.#budget
    budget.checkStopped()
    const result = performCharged(budget, bound, bound.cost, values, callFunction)
    if (result === NOT_YET) return this.later(() => this.#start(bound, values))
    if (isPromise(result)) return this.#flight(bound, result)
    this.#flights?.answered(bound.call)
    if (bound.isPlain) return this.#result(bound, result)
    return bound.returnsAsIs ? (result ?? null) : toResult(result, bound.returns)
  }

  /** What a function returned, as a value of the engine. @throws ForeignValueError */
  #result({ takes, returns, lenient }: BoundCall, result: unknown): Value {
    if (lenient) this.answers.add(result)
    return toResult(takes === 'plain' ? this.#border.look(result) : result, returns)
  }

  /** Counts a promise in while it is under way and words its failure. */
  #flight(bound: BoundCall, promise: PromiseLike<unknown>): Promise<Value> {
    this.#flights ??= new Flights(this.#budget.limits.maxParallelCalls)
    const flights = this.#flights
    flights.begin()
    return Promise.resolve(promise).then(
      (value) => {
        flights.end()
        return this.#result(bound, value) ?? undefined
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
  const given = takes === 'engine' ? values : budget.leave(values, takes)
  return scoped ? call(budget, ...given) : call(...given)
}

function isPending(value: Value): boolean {
  return value instanceof Pending
}

function nilForMissing(value: Value): Value {
  return value ?? null
}

/** The value of a result that has come, everything else as it is. */
function whenDone(value: Value): Value {
  return value instanceof Pending && value.$state === 'done' ? nilForMissing(value.$value) : value
}

async function settle(value: Value): Promise<Value> {
  return value instanceof Pending ? await value.$promise : value
}
