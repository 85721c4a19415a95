import { setFlagsFromString } from 'node:v8'

/** Percentage of the young generation that may be in use when a turn of the event loop ends. V8's own is 80. */
const YOUNG_PERCENT = 50

/**
 * Sets V8's garbage collector for a process that serves; libraries leave the flags of their process alone.
 *
 * - No allocation in the old generation of what survived often while the code was warming up. With that guess, the remains of
 *   requests hold on to the requests after them: of ten processes under load, about four took twice the processor time per
 *   render, for as long as they ran.
 * - Collection of the young generation between two turns of the event loop as soon as half of it is in use: what is not
 *   used takes no memory, and what a request made is still in the caches of the processor. The size itself can only be set
 *   on the command line. Less than half would copy what requests hold that wait for a model for long once more: a fifth of the
 *   processor time of 1,000 chats a second. `npm run bench:footprint`.
 */
export function tuneCollector(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
  setFlagsFromString(`--minor-gc-task-trigger=${YOUNG_PERCENT}`)
}
