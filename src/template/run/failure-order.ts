import { TemplateError } from '../api.js'
import { withPartial } from '../site.js'
import type { Output } from './output.js'
import type { Pending } from './pending.js'
import { formatPrinted, type PrintingRun } from './print.js'
import type { Steps } from './steps.js'

/** What a run knows of its failure. */
interface FailedRun extends PrintingRun {
  readonly calls: { readonly pendings: readonly Pending[] | null }
  readonly output: Output
}

/**
 * The failure that Go, which does one thing after another, would have met: of calls still under way, the first
 * in the order of the text that fails, else the given one.
 */
export function* firstFailure(run: FailedRun, error: unknown): Steps<unknown> {
  for (const pending of run.calls.pendings ?? []) {
    try {
      yield pending
    } catch (earlier) {
      if (earlier === error || !(earlier instanceof TemplateError)) return error
      const isGiven = error instanceof TemplateError && error.message === earlier.message
      return isGiven
        ? yield* withWholePartial(run, error)
        : withPartial(earlier, yield* joinedBefore(run, pending, error))
    }
  }
  return yield* withWholePartial(run, error)
}

/** The output before a failure whose earlier results were still pending when it happened. */
function* withWholePartial(run: FailedRun, error: unknown): Steps<unknown> {
  const { unjoined } = run.output
  if (unjoined === null || unjoined.error !== error) return error
  return withPartial(unjoined.error, yield* joinedBefore(run, null, error))
}

/**
 * The output before a pending result's place. If it has none it is an argument of what was being done when the
 * given error ended the run, so that its place is there.
 */
function* joinedBefore(run: FailedRun, pending: Pending | null, error: unknown): Steps<string> {
  let text = ''
  for (const segment of run.output.segments) {
    if (typeof segment === 'string') text += segment
    else if (isPlaceOf(segment, pending) || (yield* hasFailed(segment))) return text
    else text += formatPrinted(run, segment.$value)
  }
  const { unjoined } = run.output
  return unjoined !== null && unjoined.error === error ? text + unjoined.output : text
}

function isPlaceOf(place: Pending, pending: Pending | null): boolean {
  return pending !== null && (place === pending || place.$origin === pending)
}

function* hasFailed(pending: Pending): Steps<boolean> {
  try {
    yield pending
    return false
  } catch {
    return true
  }
}
