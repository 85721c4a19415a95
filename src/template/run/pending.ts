import type { Site } from '../site.js'
import type { Value } from '../value.js'

/** Thrown by an optimistic run that has to wait; the render restarts in the other mode. */
export const SUSPEND = Symbol('suspend')

/**
 * The result of an asynchronous call that is still under way, standing for its value until control flow needs it.
 * Its fields carry a dollar sign, so that no template can name them.
 */
export class Pending {
  /** Never an unhandled rejection: the creator of a Pending attaches a handler. */
  $promise: Promise<unknown> = NEVER
  $state: 'waiting' | 'done' | 'failed' = 'waiting'
  $value: unknown
  /** The call it is the result of. */
  $site: Site | null = null
  /** The result whose place this one only marks. */
  $origin: Pending | null = null
}

const NEVER: Promise<unknown> = new Promise(() => {})

/** Settles a Pending by a promise; a failure is remembered and never goes unhandled. */
export function follow(pending: Pending, promise: PromiseLike<unknown>): void {
  pending.$promise = Promise.resolve(promise).then(
    (value) => {
      pending.$state = 'done'
      pending.$value = value
      return pending.$value
    },
    (error: unknown) => {
      pending.$state = 'failed'
      pending.$value = error
      throw error
    },
  )
  pending.$promise.catch(ignore)
}

export function isPendingValue(value: Value): value is Pending {
  return value instanceof Pending
}

/** The value of a result that has come, everything else as it is. */
export function whenDone(value: Value): Value {
  return value instanceof Pending && value.$state === 'done' ? nilForMissing(value.$value) : value
}

/** A value that is there as an argument, where it is nil if it is missing. */
export function nilForMissing(value: Value): Value {
  return value ?? null
}

/** A value once it is there. */
export async function settle(value: Value): Promise<Value> {
  return value instanceof Pending ? await value.$promise : value
}

/** True for what an asynchronous function returns. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false
  if (value instanceof Promise) return true
  return 'then' in value && !Object.hasOwn(value, 'then') && typeof value.then === 'function'
}

/** Lets a promise fail unheard, when its failure no longer matters. */
export function ignoreFailure(promise: PromiseLike<unknown>): void {
  promise.then(ignore, ignore)
}

function ignore(): void {}
