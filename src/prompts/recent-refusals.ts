import type { CompiledPrompt } from '../registry/registry.js'

/** This many refusals in a row say that a prompt is not short; fewer may be bad luck: the collector's turn, or other programs'. */
const ENOUGH = 3
/** How long a refusal is remembered, in milliseconds. */
const MEMORY_MS = 100

interface Refusals {
  readonly inRow: number
  readonly until: number
}

/**
 * Prompts whose renders were begun a moment ago and refused, because they were not short while many waited. To find that
 * out costs a tenth of such a render: under load the next ones are refused without it.
 */
export class RecentRefusals {
  readonly #refusals = new WeakMap<CompiledPrompt, Refusals>()
  readonly #now: () => number
  #isUsed = false

  /** @param now milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  has(prompt: CompiledPrompt): boolean {
    const last = this.#refusals.get(prompt)
    return last !== undefined && last.inRow >= ENOUGH && this.#now() < last.until
  }

  add(prompt: CompiledPrompt): void {
    this.#isUsed = true
    const inRow = (this.#refusals.get(prompt)?.inRow ?? 0) + 1
    this.#refusals.set(prompt, { inRow, until: this.#now() + MEMORY_MS })
  }

  /** It was short after all. */
  forget(prompt: CompiledPrompt): void {
    if (this.#isUsed) this.#refusals.delete(prompt)
  }
}
