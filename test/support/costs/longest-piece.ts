import { resourceUsage } from 'node:process'
import type { DeclaredFunction, TemplateFunction } from '../../../src/template/index.js'
import { compile } from '../../../src/template/index.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { busyMs, type LoopTurn } from '../loop-turn.js'
import type { CostCase } from './cost-cases.js'

const FUNCTIONS = new Map<string, TemplateFunction | DeclaredFunction>(functionLibrary)
FUNCTIONS.set('own', (value: unknown) => typeof value)
/** What a request may take at most; what a case does then is known. */
const DEADLINE_MS = 150

/** @throws TemplateError */
export function renderCase({ source, dialect }: CostCase, large: unknown): Promise<string> {
  const template = compile(source, { functions: FUNCTIONS, dialect })
  const data = { large, small: [1, 2, 3], few: { a: 1 } }
  return template.render(data, { deadlineMs: DEADLINE_MS, isJson: true })
}

/**
 * The longest that work holds the event loop at a stretch, however it ends, in milliseconds of processor time.
 *
 * @param msOf what of a turn counts
 */
export async function longestOf(
  work: () => Promise<unknown>,
  msOf: (turn: LoopTurn) => number = busyMs,
): Promise<number> {
  let longest = 0
  let isOver = false
  let last = now()
  const look = () => {
    longest = Math.max(longest, msOf(since(last)))
    last = now()
    if (!isOver) setImmediate(look)
  }
  const turn = new Promise<void>((resolve) => {
    const end = () => {
      isOver = true
      look()
      resolve()
    }
    setImmediate(look)
    last = now()
    work().then(end, end)
  })
  await turn
  return longest
}

type Now = readonly [wallMs: number, used: NodeJS.ResourceUsage]

function now(): Now {
  return [performance.now(), resourceUsage()]
}

function since([wallMs, { userCPUTime, systemCPUTime, minorPageFault }]: Now): LoopTurn {
  const used = resourceUsage()
  return {
    wallMs: performance.now() - wallMs,
    cpuMs: (used.userCPUTime - userCPUTime + used.systemCPUTime - systemCPUTime) / 1_000,
    newPages: used.minorPageFault - minorPageFault,
  }
}

/** The least of several attempts, as long as it is over a bound. */
export async function leastOf(
  attempts: number,
  bound: number,
  attempt: () => Promise<number>,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < attempts && least > bound; i++) least = Math.min(least, await attempt())
  return least
}

/** What the two halves of {@link paceOf} take on a machine of ours that does nothing else, in milliseconds. */
const USUAL_WORK_MS = 6
const USUAL_MEMORY_MS = 3
const MOST = 3
const ROUNDS = 400_000
/** A text whose copy is memory that the process did not have before, in UTF-16 units. */
const COPIED = '汉'.repeat(2_000_000)

/** How many times as long as usual things take now, from one to three times: machines are slower, and busy. */
export function paceOf(): number {
  return Math.min(MOST, Math.max(1, workPace(), memoryPace()))
}

const PACE_SAMPLES = 5

/** How many times as long as on a quiet machine usual work takes now, at least: the least of several looks, from one to three. */
export function leastPace(): number {
  const looks = Array.from({ length: PACE_SAMPLES }, workPace)
  return Math.min(MOST, Math.max(1, Math.min(...looks)))
}

function workPace(): number {
  const startedAt = now()
  let text = ''
  for (let round = 0; round < ROUNDS; round += 1) text += String.fromCharCode(97 + (round % 26))
  if (!/z$/m.test(`${text}z`)) throw new Error('what was made is not there')
  return busyMs(since(startedAt)) / USUAL_WORK_MS
}

/** Some machines take a multiple of the time for a page of memory that a process touches first. */
function memoryPace(): number {
  const startedAt = now()
  if ((COPIED + ROUNDS).charCodeAt(COPIED.length) === 0) throw new Error('what was made is not there')
  return busyMs(since(startedAt)) / USUAL_MEMORY_MS
}
