import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** How much of the young generation may be in use when a turn of the event loop ends: half of what Node 20 has, an eighth of what Node 24 has. */
const YOUNG_BYTES = 8 * 1_048_576
/** V8's own percentage for that. */
const USUAL_PERCENT = 80
/** V8's usual factor is 2. The young generation is never larger than V8's limit for it, 16 times what it begins with. */
const GROWTH_FACTOR = 16
/** How often the size of the young generation is looked at: it grows with what survives. */
const LOOK_MS = 1_000

/**
 * Sets V8's garbage collector for a process that serves; libraries leave the flags of their process alone.
 *
 * - No allocation in the old generation of what survived often while the code was warming up. With that guess, the remains of
 *   requests hold on to the requests after them: of ten processes under load, about four took twice the processor time per
 *   render, for as long as they ran.
 * - Collection of the young generation between two turns of the event loop as soon as {@link YOUNG_BYTES} of it are in use: what
 *   is not used takes no memory. Its size itself can only be set on the command line. Less would copy more often what
 *   requests hold that wait for a model. `npm run bench:footprint`. Not while the catalog is loaded: then a batch of documents
 *   that are being read would be copied twice as often. Row "load" of `npm run bench:scale`: 1.07 × the processor time.
 * - Growth of the young generation to its full size at once. V8 shrinks it to one megabyte while a process is idle, and doubles it
 *   for each time that as much has survived, which under a light load takes many thousands of requests: until then it is
 *   collected every thirty requests. Rows `0.5 KB` of `npm run bench:chat` after a pause.
 *
 * @returns begins to collect between turns and to grow at once, when the catalog is loaded; what that returns ends it
 */
export function tuneCollector(lookMs = LOOK_MS): () => () => void {
  setFlagsFromString('--no-allocation-site-pretenuring')
  return () => {
    setFlagsFromString(`--semi-space-growth-factor=${GROWTH_FACTOR}`)
    let percent = USUAL_PERCENT
    const look = () => {
      const wanted = youngPercent()
      if (wanted === percent) return
      percent = wanted
      setFlagsFromString(`--minor-gc-task-trigger=${percent}`)
    }
    look()
    const timer = setInterval(look, lookMs).unref()
    return () => clearInterval(timer)
  }
}

function youngPercent(): number {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  if (young === undefined) return USUAL_PERCENT
  const size = young.space_used_size + young.space_available_size
  return Math.min(USUAL_PERCENT, Math.ceil((100 * YOUNG_BYTES) / size))
}
