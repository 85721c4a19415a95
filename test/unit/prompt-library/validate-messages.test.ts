import { describe, expect, it } from 'vitest'
import { PromptError } from '../../../src/prompt-library/prompt-error.js'
import { assertContentPart, validateMessages } from '../../../src/prompt-library/validate-messages.js'

const failureOf = (check: () => void): unknown => {
  try {
    check()
  } catch (error) {
    return error
  }
  return undefined
}

describe('the checks of conversations, for embedders', () => {
  it.each([
    {
      name: 'validateMessages',
      check: () => validateMessages([]),
      facts: { param: 'messages', details: [{ index: null, rule: 'empty' }] },
    },
    {
      name: 'assertContentPart',
      check: () => assertContentPart({ type: 'video' }),
      facts: { param: null, details: [{ index: null }] },
    },
  ])('$name fails with a PromptError that keeps every fact', ({ check, facts }) => {
    const failure = failureOf(check)
    expect(failure).toBeInstanceOf(PromptError)
    expect(failure).toMatchObject({
      kind: 'InvalidSequence',
      code: 'invalid_sequence',
      status: 400,
      ...facts,
    })
  })

  it('pass what is right', () => {
    expect(failureOf(() => validateMessages([{ role: 'user', content: 'x' }]))).toBeUndefined()
    expect(failureOf(() => assertContentPart({ type: 'text', text: 'x' }))).toBeUndefined()
  })
})
