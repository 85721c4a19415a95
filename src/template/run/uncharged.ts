import type { RenderOptions } from '../api.js'

/**
 * Switches the charges of a render off, for tests of what holds without them. A symbol: no document, setting or request can
 * name it.
 */
export const UNCHARGED: unique symbol = Symbol('uncharged')

/** Options as tests give them. */
export interface UnchargedOptions extends RenderOptions {
  readonly [UNCHARGED]?: true
}

/** Whether a render is charged for its calls. */
export function isCharged(options: UnchargedOptions): boolean {
  return options[UNCHARGED] !== true
}
