import type { ErrorCode } from '../../errors.js'
import { statusAnswers, type TypicalStatus } from '../../schema/error-answers.js'

/** What an operation takes, and its good answers by status; `description` where the summary leaves something to say. */
export interface OperationFacts {
  readonly description?: string
  readonly params?: object
  readonly querystring?: object
  readonly body?: object
  readonly response: Readonly<Record<number, object>>
}

/**
 * Describes operations that are alike: all under one tag, each with these failures: statuses, or codes of errors.
 *
 * @returns what makes the options of a route of an operation's id, its summary and what is its own
 */
export function operations(tag: string, ...failures: readonly (TypicalStatus | ErrorCode)[]) {
  const failed = statusAnswers(...failures)
  return (operationId: string, summary: string, { response, ...facts }: OperationFacts) => ({
    schema: { tags: [tag], operationId, summary, ...facts, response: { ...response, ...failed } },
  })
}
