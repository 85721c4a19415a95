import { at } from '../../util/at.js'
import type { CallCost, DeclaredFunction, FunctionLookup, ParameterType, TemplateFunction } from '../api.js'
import type { Operand } from '../ast.js'
import { FOREIGN } from '../cost.js'
import { adaptedToFloat } from '../format/adaptive.js'
import { quote } from '../format/quote.js'
import { isEngineFunction } from '../library/engine-function.js'
import { Nothing } from '../nothing.js'
import { execError, type Site } from '../site.js'
import { isInt, Typed, toFloat, type Value } from '../value.js'
import { constantMessage, countMessage, idealValue, mismatch, typedConstant } from './parameters.js'
import { Pending } from './pending.js'
import type { BorderForm } from './to-plain.js'

/** What arguments need of the run they are evaluated in. */
interface ArgumentHost {
  readonly at: Site
  readonly boundary: { adopt(value: Value): Value }
  readonly calls: { defer(inputs: readonly Value[], compute: (settled: Value[]) => Value): Value }
}

/** A call in a program. */
export interface CallSite {
  readonly name: string
  /** The function's name in the text: where a wrong number of arguments is reported. */
  readonly nameSite: Site
  /** The whole command: where a failure of the function is reported. */
  readonly callSite: Site
  readonly operands: readonly Operand[]
  /** Where each argument's wrong type is reported; null where that depends on the run. */
  readonly operandSites: readonly (Site | null)[]
  /** A piped value comes after the operands. */
  readonly hasFinal: boolean
  /** Where the piped value's wrong type is reported. */
  readonly finalSite: Site | null
  readonly functions: FunctionLookup
  /** The function of the program that is bound here; those of a render are bound by its run. */
  bound: BoundCall | null
}

type Declared = Omit<DeclaredFunction, 'parameters'> & {
  readonly parameters: readonly ParameterType[] | null
}

/** Declared types of which plain JavaScript values know nothing. */
const WRAPPED_RESULTS: ReadonlySet<ParameterType> = new Set<ParameterType>(['int64', '[]string'])
/** A call site with the function it calls: checks and converts arguments one by one, then calls. */
export class BoundCall {
  readonly site: CallSite
  readonly name: string
  readonly callSite: Site
  /** A run that starts again takes its results from the run before. */
  readonly isReplayed = true
  readonly target: TemplateFunction | DeclaredFunction
  readonly call: (...values: Value[]) => unknown
  readonly scoped: boolean
  readonly cost: CallCost
  readonly returns: ParameterType
  /** Whether a result is of its declared type as it is. */
  readonly returnsAsIs: boolean
  /** What the function gets for values. */
  readonly takes: 'engine' | BorderForm
  readonly lenient: boolean
  /** Whether its results come from elsewhere. */
  readonly isPlain: boolean
  readonly #parameters: readonly ParameterType[] | null

  constructor(site: CallSite, target: TemplateFunction | DeclaredFunction, receiver?: Value) {
    const declared = declarationOf(site, target)
    this.site = site
    this.name = site.name
    this.callSite = site.callSite
    this.target = target
    this.call = (receiver === undefined ? declared.call : declared.call.bind(receiver)) as (
      ...values: Value[]
    ) => unknown
    this.scoped = declared.scoped === true
    this.cost = declared.cost ?? FOREIGN
    this.returns = declared.returns ?? 'any'
    this.returnsAsIs = this.returns !== 'float64' && !WRAPPED_RESULTS.has(this.returns)
    const isOwn = receiver !== undefined || isEngineFunction(declared.call)
    this.takes = isOwn ? 'engine' : (declared.takes ?? 'plain')
    this.lenient = declared.lenient === true
    this.isPlain = !isOwn
    this.#parameters = declared.parameters
    this.#checkCount(declared.variadic === true)
  }

  /** A constant operand as its parameter wants it. */
  constant(run: ArgumentHost, index: number): Value {
    const operand = at(this.site.operands, index)
    const parameter = this.#parameter(index)
    if (parameter === 'any') return idealValue(operand, this.#operandSite(run, index))
    const value = typedConstant(operand, parameter)
    if (value !== undefined) return value
    throw execError(this.#operandSite(run, index), constantMessage(operand, parameter))
  }

  /** Any other operand's value, once its type is checked. */
  argument(run: ArgumentHost, index: number, value: Value): Value {
    if (this.#parameters === null) return value ?? null
    const parameter = this.#parameter(index)
    if (isWanted(value, parameter)) return value
    return checked(
      run,
      run.boundary.adopt(value),
      parameter,
      this.#operandSite(run, index),
      this.#adaptsNumbers,
    )
  }

  /** The piped value, once its type is checked. */
  final(run: ArgumentHost, value: Value): Value {
    if (this.#parameters === null) return value ?? null
    const parameter = this.#parameter(this.site.operands.length)
    if (isWanted(value, parameter)) return value
    return checked(
      run,
      run.boundary.adopt(value),
      parameter,
      this.site.finalSite ?? run.at,
      this.#adaptsNumbers,
    )
  }

  get #adaptsNumbers(): boolean {
    return this.site.nameSite.program.rules.numbers === 'adaptive'
  }

  #operandSite(run: ArgumentHost, index: number): Site {
    return this.site.operandSites[index] ?? run.at
  }

  #parameter(index: number): ParameterType {
    const parameters = this.#parameters
    if (parameters === null) return 'any'
    return parameters[Math.min(index, parameters.length - 1)] ?? 'any'
  }

  #checkCount(variadic: boolean): void {
    if (this.#parameters === null) return
    const { operands, hasFinal, name, nameSite } = this.site
    const message = countMessage(name, this.#parameters.length, variadic, operands.length, hasFinal)
    if (message !== '') throw execError(nameSite, message)
  }
}

/** A function with its signature. @throws TemplateError for what tables without types get wrong */
function declarationOf({ name, nameSite }: CallSite, target: TemplateFunction | DeclaredFunction): Declared {
  if (typeof target === 'function') return { call: target, parameters: null }
  if (typeof target?.call !== 'function')
    throw execError(nameSite, `${quote(name)} is declared without a function: call must be one`)
  if (!Array.isArray(target.parameters)) {
    const wanted = 'parameters must be a list of types, such as ["float64"], or [] for none'
    throw execError(nameSite, `${quote(name)} is declared without parameters: ${wanted}`)
  }
  return target
}

/** True for what most often comes, and is what the parameter wants as it is. */
function isWanted(value: Value, parameter: ParameterType): boolean {
  if (typeof value === 'string') return parameter === 'string' || parameter === 'any'
  return typeof value === 'number' && (parameter === 'any' || (parameter === 'int' && (value | 0) === value))
}

/** A value for a parameter; one that is pending is checked once it is there, in its place among all failures. */
function checked(
  run: ArgumentHost,
  value: Value,
  parameter: ParameterType,
  site: Site,
  adaptsNumbers: boolean,
): Value {
  if (value instanceof Pending && parameter !== 'any') {
    return run.calls.defer([value], ([settled]) => checked(run, settled, parameter, site, adaptsNumbers))
  }
  if (value instanceof Nothing) return value.as(parameter)
  const message = mismatch(value, parameter)
  if (message === '') return value ?? null
  const adapted = parameter === 'float64' && adaptsNumbers ? adaptedToFloat(value) : undefined
  if (adapted !== undefined) return adapted
  throw execError(site, message)
}

/** What a function returned, as a value of its declared type: JavaScript's undefined is nil. */
export function toResult(value: unknown, returns: ParameterType): Value {
  if (value === undefined) return null
  if (returns === 'any' || value instanceof Typed) return value
  if (returns === 'float64') return typeof value === 'number' && isInt(value) ? toFloat(value) : value
  return WRAPPED_RESULTS.has(returns) ? new Typed(returns, value) : value
}
