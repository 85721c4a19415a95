import { TemplateError } from '../../../src/template/index.js'
import type { LoopTurn } from '../loop-turn.js'
import { type Admitted, largestAdmitted } from './admitted-size.js'
import type { CaseGroup } from './case-groups.js'
import type { CostCase } from './cost-cases.js'
import { leastOf, longestOf, renderCase } from './longest-piece.js'

/** What the engine says of a value that is too large for a call, before it begins the call. */
const TOO_LARGE = /longer than \d+ (ms|characters)|more than \d+ elements|JSON with more values/
/** What a call itself says that has begun, of a value that is too large for it. */
const BEYOND_ITS_BOUNDS =
  /more than \d+ (verbs|matches|parts|bytes of padding|places|bytes as digits)|regular expression (of size|searched)|to tokenize|width \d+ exceeds/
/** How far a call comes with a value. */
const ENDS = ['refused', 'bounded', 'whole'] as const
type End = (typeof ENDS)[number]

/** A call that held the event loop for longer than it may, at a size. */
export interface SlowCall {
  readonly ms: number
  readonly call: CostCase
  /** How many times as long as on a quiet machine usual work took then. */
  readonly pace?: number
}

/** What became of the cases of a group. */
export interface Measured {
  /** Of each case the size that was measured for it, 0 where none is admitted; cases with one size are one call with one value. */
  readonly sizes: readonly number[]
  readonly slow: readonly SlowCall[]
}

export interface Meter {
  readonly bound: number
  /** Of these the least counts, as long as it is over the bound. */
  readonly attempts: number
  /** What of a turn of the loop counts, in ms; by default all that the process did. */
  readonly msOf?: (turn: LoopTurn) => number
  /** A value of a shape. */
  readonly make: (shape: string, size: number) => unknown
  /** What was admitted of a call before, where the next search for it begins. */
  readonly guesses: Map<string, number>
}

/**
 * Measures each case of a group at the largest size that is admitted, up to its own, and where the call ends at a bound of
 * its own also at the largest size below that. What is tried on the way is measured too, such as a size that is refused.
 */
export async function measureGroup({ cases }: CaseGroup, meter: Meter): Promise<Measured> {
  const slow: SlowCall[] = []
  const tried = new Map<number, End>()
  const attempt = async (size: number) => {
    const known = tried.get(size)
    if (known !== undefined) return known
    const call = { ...cases[0], size }
    const { ms, end } = await measureCall(call, meter)
    if (ms > meter.bound) slow.push({ ms, call })
    tried.set(size, end)
    return end
  }
  return { sizes: await admittedSizes(cases, attempt, meter.guesses), slow }
}

/** Of each case, whose sizes fall, the largest size that is admitted. */
async function admittedSizes(
  cases: CaseGroup['cases'],
  attempt: (size: number) => Promise<End>,
  guesses: Map<string, number>,
): Promise<readonly number[]> {
  const find = async (most: number, wanted: End, call: string): Promise<Admitted> => {
    const isFarEnough = async (size: number) => ENDS.indexOf(await attempt(size)) >= ENDS.indexOf(wanted)
    const found = await largestAdmitted(most, isFarEnough, guesses.get(`${wanted} ${call}`))
    if (found.size < most && found.size > 0) guesses.set(`${wanted} ${call}`, found.size)
    return found
  }
  const sizes: number[] = []
  let found: Admitted | undefined
  for (const { size, call } of cases) {
    if (found === undefined || size < found.refused) {
      found = await find(size, 'bounded', call)
      if (found.size > 0 && (await attempt(found.size)) === 'bounded') await find(found.size, 'whole', call)
    }
    sizes.push(found.size)
  }
  return sizes
}

/** How long a call holds the event loop at a stretch, as the least of several attempts, and how far it comes. */
export async function measureCall(
  call: CostCase,
  { bound, attempts, make, msOf }: Omit<Meter, 'guesses'>,
): Promise<{ readonly ms: number; readonly end: End }> {
  const large = make(call.shape, call.size)
  let end: End = 'whole'
  const render = () =>
    renderCase(call, large).then(
      () => (end = 'whole'),
      (error: unknown) => (end = endOf(error)),
    )
  const ms = await leastOf(attempts, bound, () => longestOf(render, msOf))
  return { ms, end }
}

function endOf(error: unknown): End {
  if (!(error instanceof TemplateError) || error.code !== 'render_limit') return 'whole'
  if (TOO_LARGE.test(error.message)) return 'refused'
  return BEYOND_ITS_BOUNDS.test(error.message) ? 'bounded' : 'whole'
}
