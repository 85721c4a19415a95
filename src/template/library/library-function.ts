import type { CallCost, DeclaredFunction, ParameterType } from '../api.js'
import { engineFunction } from './engine-function.js'

/** The headings of the function table in the documentation. */
export type FunctionGroup =
  | 'Defaults'
  | 'Strings'
  | 'Lists'
  | 'Dicts'
  | 'Math'
  | 'Conversions'
  | 'JSON and YAML'
  | 'Regular expressions'
  | 'Dates'
  | 'Encodings and hashes'
  | 'Versions'
  | 'Types'
  | 'Paths and URLs'
  | 'Prompts'

/** A function of the library with what its row in the documentation says. */
export interface LibraryFunction extends DeclaredFunction {
  readonly cost: CallCost
  readonly name: string
  readonly group: FunctionGroup
  /** The call as one writes it: `repeat count text`. */
  readonly signature: string
  readonly summary: string
  /** A template that shows the function; the documentation prints its result. */
  readonly example: string
  /** Another name of the same function. */
  readonly aliases: readonly string[]
}

/** What the definition of a function gives beside its signature and summary. */
export interface FunctionDefinition extends DeclaredFunction {
  readonly example: string
  readonly aliases?: readonly string[]
}

/** Defines functions of one group, with what most of them cost: the signature's first word is the name. */
export function definer(group: FunctionGroup, cost: CallCost) {
  return (signature: string, summary: string, definition: FunctionDefinition): LibraryFunction => ({
    aliases: [],
    cost,
    ...definition,
    call: engineFunction(definition.call),
    group,
    signature,
    summary,
    name: nameIn(signature),
  })
}

/** The name that a signature begins with. */
export function nameIn(signature: string): string {
  return signature.split(' ', 1).join('')
}

/** Parameters that are all of type any. */
export function anything(count: number): readonly ParameterType[] {
  return new Array<ParameterType>(count).fill('any')
}

/**
 * `first` and `mustFirst` are one function here: in Go they differ in panicking or returning the error, and the
 * template sees the same message.
 */
export function withMust(name: string): readonly string[] {
  return [`must${name.charAt(0).toUpperCase()}${name.slice(1)}`]
}
