import type { CompiledPrompt } from '../registry/registry.js'

/** How long a refusal is remembered, in milliseconds. */
const MEMORY_MS = 100

/**
 * Prompts whose renders were begun a moment ago and refused, because they were not short while many waited. To find that
 * out costs a tenth of such a render: under load the next ones are refused without it.
 */
export class RecentRefusals {
  readonly #until = new WeakMap<CompiledPrompt, number>()
  readonly #now: () => number

  /** @param now milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  has(prompt: CompiledPrompt): boolean {
    const until = this.#until.get(prompt)
    return until !== undefined && this.#now() < until
  }

  add(prompt: CompiledPrompt): void {
    this.#until.set(prompt, this.#now() + MEMORY_MS)
  }
}
