import { expect, it } from 'vitest'
import { isRecoverable } from '../../../src/agents/is-recoverable.js'
import { ERRORS, type ErrorCode, ServiceError } from '../../../src/errors.js'

/** What may succeed when it is tried again. */
const RECOVERABLE = [
  ...['llm_unavailable', 'llm_bad_response', 'overloaded', 'rate_limited', 'tool_failed'],
  ...['memory_not_found', 'turn_interrupted'],
]

it.each(Object.keys(ERRORS) as ErrorCode[])('%s', (code) => {
  expect(isRecoverable(new ServiceError(code, 'x'))).toBe(RECOVERABLE.includes(code))
})

it.each([
  [401, false],
  [403, false],
  [500, true],
])('an upstream that answered %i', (upstream_status, expected) => {
  const error = new ServiceError('llm_unavailable', 'x', { details: { upstream_status } })
  expect(isRecoverable(error)).toBe(expected)
})

it('nothing but the service’s own errors', () => {
  expect(isRecoverable(new Error('x'))).toBe(false)
  expect(isRecoverable('rate_limited')).toBe(false)
})
