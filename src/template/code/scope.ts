import type { Origin } from '../run/origin.js'
import type { FieldPhrase } from './phrase.js'

/** A Go variable of a template, held in a JavaScript local. */
export interface Variable {
  /** Where the value comes from; only in a program that is traced. */
  readonly origin?: Origin | undefined
  /** With its dollar sign. */
  readonly name: string
  readonly local: string
  /**
   * A JavaScript expression for the list or map that contains the value, empty without one: Go keeps elements in
   * interfaces, which shows in messages.
   */
  readonly container: string
  /** True if the value is part of the render's data. */
  readonly fromData: boolean
  /** How a field of it is read, for a local that programs have in common: by the field's name and its place. */
  readonly read?: FieldPhrase
}

/** The value of dot and the variables in sight, innermost last. */
export class Scope {
  readonly dot: Variable
  /** Shared with the scopes around and inside, and so replaced where it changes: most scopes declare nothing. */
  #variables: readonly Variable[]

  constructor(dot: Variable, variables: readonly Variable[]) {
    this.dot = dot
    this.#variables = variables
  }

  /** A scope inside this one; what it declares ends with it. */
  inner(dot: Variable = this.dot): Scope {
    return new Scope(dot, this.#variables)
  }

  declare(variable: Variable): void {
    this.#variables = [...this.#variables, variable]
  }

  find(name: string): Variable | undefined {
    return this.#variables.findLast((variable) => variable.name === name)
  }

  /** Replaces what is known about a variable, in this scope only. */
  refine(variable: Variable): void {
    const at = this.#variables.findLastIndex(({ local }) => local === variable.local)
    if (at >= 0) this.#variables = this.#variables.with(at, variable)
  }
}
