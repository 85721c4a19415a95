import type { HttpRow } from './http-row.js'
import { filled, list, MEGABYTES, names, withName } from './json-texts.js'

/** Bodies that ask for too much, and the largest that do not. */
export const BODIES: readonly HttpRow[] = [
  {
    name: 'lists 1.9 million deep',
    body: () => '['.repeat(MEGABYTES / 2) + ']'.repeat(MEGABYTES / 2),
    status: 400,
    message: /The body is nested deeper than 200 levels/,
  },
  {
    name: 'variables 20,000 deep',
    body: () => withName(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
    status: 400,
    message: /nested deeper than 200 levels/,
  },
  {
    name: '300,000 names',
    body: () => withName(names(300_000)),
    status: 400,
    message: /more than 100000 values/,
  },
  {
    name: '330,000 objects',
    body: () => list('{"a":1}', 330_000),
    status: 400,
    message: /more than 100000 values/,
  },
  {
    name: '3.8 MB of JSON that is none at its end',
    body: () => `${filled('').slice(0, -2)},}}`,
    status: 400,
    message: /not valid JSON: .* at line 1, column 38\d+/,
  },
  {
    name: '30,000 unknown fields',
    body: () => names(30_000),
    status: 400,
    message: /nknown field .* \(and 29999 more\)/,
  },
  {
    name: '1,001 fields for a model',
    path: '/v1/chat/completions',
    body: () => names(1_001),
    status: 400,
    message: /must have at most 1000 properties/,
  },
  {
    name: 'a message list of 90,000 numbers',
    path: '/api/chat',
    body: () => `{"prompt":{"userPrompt":"x"},"messages":${list('1', 90_000)}}`,
    status: 400,
    message: /steps to check/,
  },
  {
    name: 'a prompt with 90,000 wrong messages',
    path: '/api/render',
    body: () => `{"prompt":{"messages":${list('1', 90_000)}}}`,
    status: 400,
    message: /at most 2000 messages and parts/,
  },
  {
    name: 'parameters 20,000 deep',
    path: '/api/render',
    body: () =>
      `{"prompt":{"userPrompt":"x","parameters":${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}}}`,
    status: 400,
    message: /nested deeper than 200 levels/,
  },
  {
    name: 'arguments of a tool 100,000 deep',
    path: '/api/tools/any.tool/call',
    body: () => `{"arguments":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
    status: 400,
    message: /nested deeper than 200 levels/,
  },
  { name: 'a body of 3.8 MB', body: () => filled(''), status: 200, text: 'Hello 1' },
  {
    name: 'digits in a text',
    body: () => withName(`"${'7'.repeat(100_000)}"`),
    status: 200,
    text: `Hello ${'7'.repeat(100_000)}`,
  },
  {
    name: 'a name of 3.8 MB that is no field',
    body: () => `{"${'n'.repeat(MEGABYTES)}":1}`,
    status: 400,
    message: /nknown field/,
    maxLength: 2_000,
  },
]
