import type { Grammar } from '../grammar.js'
import type { InstructionStyle } from '../instructions.js'
import type { CallResult, EncodableCall } from '../protocol.js'
import type { OwnReaders } from '../text-parser.js'

/** How one family of models asks for tools in text: a table, which the shared readers and writers work by. */
export interface Family extends OwnReaders {
  /** The models, as people call them. */
  readonly title: string
  readonly grammar: Grammar
  /** The names of models that write this form, in small letters. */
  readonly models: RegExp
  readonly style?: InstructionStyle
  /** The text of a user message that brings results. */
  readonly results: (results: readonly CallResult[]) => string
  /** The calls of a message, where the grammar does not say all of it. */
  readonly encodeCalls?: (calls: readonly EncodableCall[]) => string
}
