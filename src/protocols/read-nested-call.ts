import type { NestedBody } from './grammar.js'
import { giveUp, type Reading } from './reading.js'
import type { Steps } from './scanner.js'
import type { Tag } from './tag-set.js'

/** Reads a call whose arguments are tags of their own names. */
export function* readNestedCall(reading: Reading, open: Tag, _body: NestedBody): Steps<void> {
  yield* giveUp(reading, open.raw, 'The call cannot be read')
}
