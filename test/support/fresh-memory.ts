import { resourceUsage } from 'node:process'
import { busyMs, type LoopTurn } from './loop-turn.js'

const BYTES = 4 * 1_048_576
const PAGES = BYTES / 4_096
const BLOCKS = 40
/** What a page that is used for the first time takes at most on usual machines, in µs. */
const USUAL_US = 2

/** What the machine takes to give a process memory that it has not used yet. */
export interface FreshMemory {
  /** For 4 MiB, in ms of processor time: 1 to 2 usually; 12 to 17 on a virtual machine whose host keeps the page tables, where each first access to a page is the host's work. */
  readonly blockMs: number
  /** What each page takes more than usually, in µs. 0 where pages are larger than 4 KiB: then one does not say what another took. */
  readonly excessUs: number
}

/** Once for a run. */
export const FRESH_MEMORY: FreshMemory = measured()

function measured(): FreshMemory {
  const blocks: Buffer[] = []
  const filled = Array.from({ length: BLOCKS }, () => {
    const fresh = spent(() => blocks.push(Buffer.alloc(BYTES, 1)))
    const again = spent(() => blocks.at(-1)?.fill(2))
    return { ms: fresh.ms, pages: fresh.pages, pageUs: (1_000 * (fresh.ms - again.ms)) / fresh.pages }
  })
  const isSmall = filled.every(({ pages }) => pages >= 0.9 * PAGES)
  // The quickest quarter: too little is taken off rather than too much.
  const pageUs = sorted(filled.map(({ pageUs }) => pageUs))[BLOCKS >> 2] ?? 0
  return {
    blockMs: sorted(filled.map(({ ms }) => ms))[BLOCKS >> 1] ?? 0,
    excessUs: isSmall ? Math.max(0, pageUs - USUAL_US) : 0,
  }
}

/**
 * How long a turn held the loop, in ms of processor time, on a machine where a page of new memory takes {@link USUAL_US}: what the host
 * took beyond it is taken off. Never less than the loop's own thread took, since the time is that of all threads.
 */
export function heldMs(turn: LoopTurn, { excessUs }: FreshMemory = FRESH_MEMORY): number {
  return busyMs({ ...turn, cpuMs: turn.cpuMs - (turn.newPages * excessUs) / 1_000 })
}

function spent(work: () => unknown): { readonly ms: number; readonly pages: number } {
  const before = resourceUsage()
  work()
  const after = resourceUsage()
  return {
    ms: (after.userCPUTime + after.systemCPUTime - before.userCPUTime - before.systemCPUTime) / 1_000,
    pages: after.minorPageFault - before.minorPageFault,
  }
}

function sorted(values: readonly number[]): readonly number[] {
  return values.toSorted((a, b) => a - b)
}
