import { createSlicer } from './pause.js'

/** How long the event loop is held at a time; several may read in one turn of it. */
const SLICE_MS = 2
/** Characters between two looks at the clock. */
const STRETCH = 4_096

/** Gives way to others by how much text was read: who reads a few characters at a time looks at no clock for each. */
export class TextSlicer {
  readonly #slicer = createSlicer(SLICE_MS)
  #unseen = 0

  /** After so many characters: a promise to wait for when others should have their turn, else undefined. */
  turn(characters: number): Promise<void> | undefined {
    this.#unseen += characters
    if (this.#unseen < STRETCH) return undefined
    this.#unseen = 0
    return this.#slicer.turn()
  }
}
