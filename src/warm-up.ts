import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Registry } from './registry/registry.js'
import { loadEncoding } from './template/library/tokenizer.js'
import type { Tools } from './tools/tools.js'

export interface WarmUpOptions {
  readonly registry: Registry
  readonly tools: Pick<Tools, 'warm'>
  /** Gives up. */
  readonly signal: AbortSignal
}

/**
 * Does after the start what the start left out, in the background and one thing a turn: reads the large libraries, and
 * connects to the servers of the catalog's tools. Never rejects.
 */
export async function warmUp({ registry, tools, signal }: WarmUpOptions): Promise<void> {
  try {
    await registry.whenReady()
  } catch {
    return
  }
  await nextTurn()
  if (signal.aborted) return
  const { tools: entries, context } = registry.current
  await tools.warm({ entries, context, signal })
  await nextTurn()
  if (!signal.aborted) loadEncoding()
}
