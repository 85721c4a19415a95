import { ServiceError } from '../errors.js'

/** Whether a response is not there, or not the caller's. */
export function isMissing(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'response_not_found'
}

/** What a read of a response fails with, as the answer for the id that was shown. */
export function asMissing(shown: string): (error: unknown) => never {
  return (error) => {
    throw isMissing(error) ? noResponse(shown, error) : error
  }
}

/** What a use of a conversation fails with, as the answer for the id that was shown. */
export function asNoConversation(shown: string): (error: unknown) => never {
  return (error) => {
    const isGone = error instanceof ServiceError && error.code === 'conversation_not_found'
    throw isGone ? noConversation(shown, error) : error
  }
}

/** The answer for another key's id is that for an id that never was. */
export function noResponse(shown: string, cause?: unknown): ServiceError {
  return new ServiceError('response_not_found', `Response with id '${shown}' not found`, { cause })
}

/** The error for a conversation that is not the caller's, or not at all. */
export function noConversation(shown: string, cause?: unknown): ServiceError {
  return new ServiceError('conversation_not_found', `Conversation with id '${shown}' not found`, { cause })
}

/** The error for an id that nothing can follow; it says how a response is kept. */
export function noPrevious(shown: string, cause?: unknown): ServiceError {
  const how = 'A response is kept only if its request has `store: true`, or with RESPONSES_STORE=always.'
  return new ServiceError(
    'previous_response_not_found',
    `Previous response with id '${shown}' not found. ${how}`,
    { param: 'previous_response_id', cause },
  )
}
