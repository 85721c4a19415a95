import type { Program } from '../program.js'

/** A text that is being parsed, in one go or in stretches between which others have a turn. */
export interface Parsing {
  /**
   * Parses some of the text; false once there is no more.
   *
   * @param characters after which it may rest, unless one action is longer
   * @throws TemplateError where the text is wrong
   */
  advance(characters: number): boolean
  /** What was parsed, once that is all. */
  program(): Program
}
