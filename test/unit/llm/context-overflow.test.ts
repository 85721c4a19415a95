import { describe, expect, it } from 'vitest'
import { saysContextOverflow } from '../../../src/llm/context-overflow.js'

describe('saysContextOverflow', () => {
  it.each([
    'context_length_exceeded',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'prompt is too long: 205000 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
    'Input is too long for requested model.',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
    "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= `max_total_tokens`',
    'the request exceeds the available context size (4096 tokens), try increasing it',
    'exceed_context_size_error',
    'Trying to keep the first 5000 tokens when context overflows; it is greater than the context length',
    "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
    'Range of input length should be [1, 30720]',
    'Invalid request: Your request exceeded model token limit: 8192',
    'invalid params, context window exceeds limit (2013)',
  ])('hears %j', (words) => {
    expect(saysContextOverflow(words)).toBe(true)
    expect(saysContextOverflow(`Error: ${words.toUpperCase()}`)).toBe(true)
  })

  it.each([
    '',
    'Rate limit reached for gpt-4o: Limit 30000, Requested 31000 tokens per minute',
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens',
    "Invalid value for 'context'",
    `${'x'.repeat(2_000)} context_length_exceeded`,
  ])('does not hear %j', (words) => {
    expect(saysContextOverflow(words)).toBe(false)
  })
})
