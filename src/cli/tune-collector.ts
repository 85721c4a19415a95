import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Store } from '../store/store.js'
import { withLoad } from '../store/with-load.js'

/** How much of the young generation may be in use when a turn of the event loop ends: half of what Node 20 has, an eighth of what Node 24 has. */
const YOUNG_BYTES = 8 * 1_048_576
/** While the whole catalog is read to be compared. */
const YOUNG_BYTES_READING = 3 * 1_048_576
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
 * - Collection of the young generation as soon as {@link YOUNG_BYTES_READING} of it are in use while the whole catalog is compared
 *   with its store: each read from Redis takes memory beside the heap, which only a collection gives back, and for each 64 MB
 *   of it V8 goes through the whole heap, several times in a round of 100,000 prompts. Row "comparing everything" of `npm run bench:scale`.
 * - A `gc` to call, for `collectYoung`. Row "POST /mcp" of "first use" in the results of `npm run attack`.
 */
export class CollectorTuning {
  readonly #lookMs: number
  #timer: NodeJS.Timeout | undefined
  #percent = USUAL_PERCENT
  #isReading = false

  constructor(lookMs = LOOK_MS) {
    this.#lookMs = lookMs
    setFlagsFromString('--no-allocation-site-pretenuring')
  }

  /** The catalog is loaded: from now on the young generation is collected between turns, and grows at once. */
  begin(): void {
    setFlagsFromString(`--semi-space-growth-factor=${GROWTH_FACTOR}`)
    exposeCollection()
    this.#look()
    this.#timer = setInterval(() => this.#look(), this.#lookMs).unref()
  }

  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** A store that says when the whole of it is read. */
  watched(store: Store): Store {
    const say = (isReading: boolean) => {
      this.#isReading = isReading
      if (this.#timer !== undefined) this.#look()
    }
    return withLoad(store, (options) => saying(store.load(options), say))
  }

  #look(): void {
    const wanted = youngPercent(this.#isReading ? YOUNG_BYTES_READING : YOUNG_BYTES)
    if (wanted === this.#percent) return
    this.#percent = wanted
    setFlagsFromString(`--minor-gc-task-trigger=${wanted}`)
  }
}

/** V8 gives a context `gc` when it is made; the present one was made before. */
function exposeCollection(): void {
  if (globalThis.gc !== undefined) return
  setFlagsFromString('--expose-gc')
  globalThis.gc = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
}

async function* saying<Batch>(
  batches: AsyncIterable<Batch>,
  say: (isReading: boolean) => void,
): AsyncIterable<Batch> {
  say(true)
  try {
    yield* batches
  } finally {
    say(false)
  }
}

function youngPercent(bytes: number): number {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  if (young === undefined) return USUAL_PERCENT
  const size = young.space_used_size + young.space_available_size
  return Math.min(USUAL_PERCENT, Math.ceil((100 * bytes) / size))
}
