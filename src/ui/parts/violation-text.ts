import type { Violation } from '../api/api-error.js'
import type { Say } from '../texts/say.js'

/** What is wrong with a value: what is only missing in the language of the page, the rest as the service says it. */
export function violationText(say: Say, { message }: Violation): string {
  return message === 'is required' ? say('isRequired') : message
}
