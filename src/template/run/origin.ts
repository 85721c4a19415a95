import type { ListItem } from '../ast.js'

/**
 * Where a value comes from, as far as the text of a template shows it: the dot and the round of a loop are known at
 * run time only.
 */
export type Origin =
  /** The value that the template was called with. */
  | { readonly kind: 'dot' }
  /** The element of the loop around the place that includes the template, in the dialect that has one. */
  | { readonly kind: 'element' }
  | { readonly kind: 'field'; readonly of: Origin; readonly path: readonly string[] }
  /** What a loop goes over, in one of its rounds. */
  | { readonly kind: 'round'; readonly of: Origin; readonly loop: ListItem }
  | { readonly kind: 'call'; readonly name: string; readonly of: readonly Origin[] }
  /** One of several; an empty list for literals of the text. */
  | { readonly kind: 'any'; readonly of: readonly Origin[] }
  /** A variable that is assigned, in any order. */
  | AssignedOrigin

/** All that a variable may hold. */
export interface AssignedOrigin {
  readonly kind: 'assigned'
  readonly of: Origin[]
}
