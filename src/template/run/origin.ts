import type { ListItem } from '../ast.js'

/**
 * Where a value comes from, as far as the text of a template tells: what its dot is, and which round a loop is in, is
 * known when it runs.
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
  /** One of several; of none for what stands in the text itself. */
  | { readonly kind: 'any'; readonly of: readonly Origin[] }
  /** A variable that is assigned, in any order. */
  | AssignedOrigin

/** All that a variable may hold. */
export interface AssignedOrigin {
  readonly kind: 'assigned'
  readonly of: Origin[]
}
