import type { RenderSpending } from '../api.js'
import { LimitError } from '../format/go-error.js'
import { Typed } from '../value.js'
import { allocateShared } from './allocate-shared.js'

/** What an element of a list takes of the memory that texts are counted in. */
export const CHARACTERS_PER_ELEMENT = 8

/**
 * What one render allocated, in characters, and what running renders allocated together. Its fields are not `#` fields: one
 * is created for every render, and those take longer to create (`bench:template`).
 */
export class Allocation {
  characters = 0
  /** How much of it a restarted run will allocate again. */
  again = 0
  private readonly most: number
  private readonly shared: RenderSpending | undefined

  constructor(most: number, shared: RenderSpending | undefined) {
    this.most = most
    this.shared = shared
  }

  /** @throws LimitError if it is too much */
  add(characters: number): void {
    this.characters += characters
    const shared = this.shared
    if (shared !== undefined) allocateShared(shared, characters)
    if ((shared === undefined ? this.characters : shared.made) <= this.most) return
    throw new LimitError('width', `texts and lists of more than ${this.most} characters made`)
  }

  /** Called when the run restarts: releases what is garbage now and will be allocated again. */
  restart(): void {
    const { again } = this
    this.again = 0
    this.characters -= again
    const shared = this.shared
    if (shared === undefined) return
    // As in `allocateShared`: no call in between.
    shared.made -= again
    if (shared.together !== undefined) shared.together.made -= again
  }

  /** The render is over. */
  rest(): void {
    this.characters = 0
    this.again = 0
  }
}

/** What a result takes, in characters: its own, eight for an element, and by what was read for a dict. */
export function sizeOfResult(result: unknown, units: number): number {
  if (typeof result === 'string') return result.length
  if (Array.isArray(result)) return result.length * CHARACTERS_PER_ELEMENT
  if (typeof result !== 'object' || result === null) return 0
  if (result instanceof Typed && Array.isArray(result.value)) {
    return result.value.length * CHARACTERS_PER_ELEMENT
  }
  return units / 2
}
