import type { MissingKey } from '../api.js'
import { elementOf, entriesOf, kindOf, typeName } from '../format/kind.js'
import { Typed, type Value } from '../value.js'

/** Why a field cannot be read; the message is Go's. */
export interface FieldFailure {
  readonly kind: 'failure' | 'missing'
  readonly message: string
}

/** Reads fields one after another with all of Go's rules; the generated code reads the easy ones itself. */
export class FieldWalk {
  value: Value
  failure: FieldFailure | null = null
  /** The map that was read last. */
  container: object | null = null
  /** True if Go holds the value in an interface: messages then leave its type out. */
  #isInterface: boolean
  readonly #missingKey: MissingKey

  constructor(value: Value, isInterface: boolean, missingKey: MissingKey) {
    this.value = value
    this.#isInterface = isInterface
    this.#missingKey = missingKey
  }

  /** Reads one field. @returns false when there is nothing more to read */
  step(name: string, hasArguments: boolean): boolean {
    const receiver = this.value
    if (receiver === undefined) return this.#noData(name)
    if (receiver === null) return this.#nilInterface(name)
    if (kindOf(receiver) !== 'map') {
      return this.#fail(`can't evaluate field ${name} in type ${this.#type(receiver)}`)
    }
    if (hasArguments) return this.#fail(`${name} is not a method but has arguments`)
    return this.#entry(receiver, name)
  }

  #entry(map: Value, name: string): boolean {
    const entries = entriesOf(map)
    this.container = entries
    if (!Object.hasOwn(entries, name)) return this.#missing(map, name)
    this.value = elementOf(map, entries[name]) ?? null
    this.#isInterface = hasInterfaceElements(map)
    return true
  }

  #missing(map: Value, name: string): boolean {
    this.value = undefined
    switch (this.#missingKey) {
      case 'error':
        return this.#fail(`map has no entry for key "${name}"`)
      case 'guarded':
        return this.#stop(name)
      case 'zero':
        this.value = hasInterfaceElements(map) ? null : undefined
        this.#isInterface = true
    }
    return true
  }

  #noData(name: string): boolean {
    if (this.#missingKey === 'error') return this.#fail(`nil data; no entry for key "${name}"`)
    return this.#missingKey === 'guarded' ? this.#stop(name) : true
  }

  #nilInterface(name: string): boolean {
    if (this.#missingKey === 'guarded') return this.#stop(name)
    return this.#fail(`nil pointer evaluating interface {}.${name}`)
  }

  #stop(name: string): boolean {
    this.value = undefined
    this.failure = { kind: 'missing', message: name }
    return false
  }

  #fail(message: string): boolean {
    this.failure = { kind: 'failure', message }
    return false
  }

  #type(value: Value): string {
    return this.#isInterface ? 'interface {}' : typeName(value)
  }
}

/** True if Go keeps the elements of a list or map in interfaces, as JSON's. */
export function hasInterfaceElements(container: Value): boolean {
  if (typeof container === 'number' || typeof container === 'bigint') return false
  return !(container instanceof Typed) || container.type.endsWith(']interface {}')
}
