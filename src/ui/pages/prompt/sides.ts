import type { Signal } from '@preact/signals'
import type { JsonObject } from '../../api/shapes.js'
import type { Conversation } from '../chat/conversation.js'

/** The stored text, the draft, a version as `@3`, or a label by its name. */
export type Subject = string
export const STORED = 'stored'
export const DRAFT = 'draft'

/** One of the texts that are compared, and who answers to it. */
export interface Side {
  readonly subject: Signal<Subject>
  /** Empty for the usual one. */
  readonly model: Signal<string>
  readonly conversation: Conversation
}

/** Texts of one prompt side by side, with the same variables. It stays while somebody looks elsewhere. */
export interface Comparison {
  readonly sides: Signal<readonly Side[]>
  readonly parameters: Signal<JsonObject>
  /** Whether each text is shown as what differs from the first. */
  readonly marks: Signal<boolean>
}
