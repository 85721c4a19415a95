import { HAS_TIME } from './has-time.js'

/** Of the runs of a property, one in this many is done by `npm test`. */
const SHARE = 10

/** How many random cases are tried: all where there is time, and a tenth elsewhere. */
export function someRuns(all: number): number {
  return HAS_TIME ? all : Math.ceil(all / SHARE)
}
