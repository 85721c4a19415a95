import { TemplateError } from '../../../src/template/index.js'
import type { CostCase } from './cost-cases.js'
import { renderCase } from './longest-piece.js'

/** What the engine says of a value that is too large for a call, before it begins the call. */
const TOO_LARGE = /longer than \d+ (ms|characters)|more than \d+ elements|JSON with more values/
/** Of the size that was refused. */
const NEXT = 0.8
const MOST_ATTEMPTS = 20

/** The largest value of a case's shape, from its size downwards, with which the call begins, and its size. */
export async function admittedValue(
  each: CostCase,
  shapes: (shape: string, size: number) => unknown,
): Promise<{ readonly size: number; readonly large: unknown }> {
  let { size } = each
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const large = shapes(each.shape, size)
    if (!(await isRefused(each, large))) return { size, large }
    // A shape may have as much of text however few its elements are.
    size = Math.max(1, Math.floor(size * NEXT))
  }
  return { size, large: shapes(each.shape, size) }
}

async function isRefused(each: CostCase, large: unknown): Promise<boolean> {
  try {
    await renderCase(each, large)
    return false
  } catch (error) {
    return error instanceof TemplateError && error.code === 'render_limit' && TOO_LARGE.test(error.message)
  }
}
