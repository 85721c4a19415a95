import type { HttpRow } from './http-row.js'
import { filled, list, MEGABYTES, withName } from './json-texts.js'

/** Numbers of very many digits, and those that are invalid. */
export const NUMBERS: readonly HttpRow[] = [
  {
    name: 'an integer of 3.8 million digits',
    body: () => withName('7'.repeat(MEGABYTES)),
    status: 400,
    message: /a number of more than 400 digits/,
  },
  {
    name: 'a fraction of 3.8 million digits',
    body: () => withName(`0.${'7'.repeat(MEGABYTES)}`),
    status: 400,
    message: /a number of more than 400 digits/,
  },
  {
    name: 'many integers of 300 digits',
    body: () => withName(list('7'.repeat(300), 12_000)),
    status: 400,
    message: /more than 100000 values/,
  },
  {
    name: 'integers of many digits in JSON that is none',
    body: () => `{"variables":{"name":${'7'.repeat(MEGABYTES)}`,
    status: 400,
    message: /a number of more than 400 digits/,
  },
  {
    name: 'a number that is none',
    body: () => withName('1e400'),
    status: 400,
    message: /an invalid number: 1e400/,
  },
  {
    name: 'a number that is none, written out',
    body: () => withName(`${'9'.repeat(330)}.5`),
    status: 400,
    message: /an invalid number/,
  },
  {
    name: '3.8 MB and an integer of 17 digits',
    body: () => filled(',"id":90071992547409931').replace('"name":1', '"name":90071992547409931'),
    status: 200,
    text: 'Hello 90071992547409931',
  },
  {
    name: 'an integer of 400 digits',
    body: () => withName('7'.repeat(400)),
    status: 200,
    text: `Hello ${'7'.repeat(400)}`,
  },
  { name: 'the largest double', body: () => withName('1e308'), status: 200, text: 'Hello 1e+308' },
]
