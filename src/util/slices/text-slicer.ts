import { SLICES } from './budgets.js'
import { createSlicer } from './pause.js'

/** Characters between two looks at the clock. */
const STRETCH = 4_096

/** Yields by how much text was read: reads the clock only every 4,096 characters, for readers that advance by a few. */
export class TextSlicer {
  readonly #slicer = createSlicer(SLICES.streamedText.ms)
  #unseen = 0

  /** After this many characters: a promise to wait for when others should have their turn, else undefined. */
  turn(characters: number): Promise<void> | undefined {
    this.#unseen += characters
    if (this.#unseen < STRETCH) return undefined
    this.#unseen = 0
    return this.#slicer.turn()
  }
}
