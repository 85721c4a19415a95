import { assertCompletePart as assertPart } from '../conversation/content-part.js'
import type { ContentPart } from '../conversation/message.js'
import {
  type ValidateMessagesOptions,
  assertConversation as validate,
} from '../conversation/validate-messages.js'
import { withPromptErrors } from './prompt-error.js'

/** The rules of `conversation/validate-messages`. @throws PromptError `InvalidSequence` whose `details` list every violation */
export function validateMessages(messages: readonly unknown[], options?: ValidateMessagesOptions): void {
  withPromptErrors(() => validate(messages, options))
}

/** @throws PromptError `InvalidSequence` for anything but a complete part of a known type. */
export function assertContentPart(part: unknown): asserts part is ContentPart {
  withPromptErrors(() => assertPart(part))
}
