import type { Json } from '../../support/test-app.js'

/** What a tool answers, within the bounds of an answer. */
export interface AnswerShape {
  readonly name: string
  /** Made when it is asked for: together they are large. */
  readonly value: () => Json
}

const NEARLY_MB = 1_000_000
const list = <Item>(count: number, item: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => item(index))
const dict = (count: number, name: (index: number) => string): Json =>
  Object.fromEntries(list(count, (index) => [name(index), index]))

/** By what takes longest to read, to write or to compare. */
export const ANSWER_SHAPES: readonly AnswerShape[] = [
  { name: 'a text', value: () => 'a'.repeat(NEARLY_MB) },
  { name: 'a text of another script', value: () => '汉'.repeat(NEARLY_MB / 3) },
  { name: 'a text to be escaped', value: () => '\u0001'.repeat(NEARLY_MB / 6) },
  { name: 'a text of lone surrogates', value: () => '\ud800'.repeat(NEARLY_MB / 6) },
  { name: 'a text of few words', value: () => 'a '.repeat(NEARLY_MB / 2) },
  { name: 'a text of line breaks', value: () => '\n'.repeat(NEARLY_MB / 2) },
  { name: 'a text of brackets', value: () => '[{'.repeat(NEARLY_MB / 2) },
  { name: '90,000 numbers', value: () => list(90_000, (index) => index) },
  { name: '90,000 floats', value: () => list(49_000, (index) => index / 7) },
  { name: '40,000 names', value: () => dict(40_000, (index) => `k${index}`) },
  { name: '9,900 full-width names', value: () => dict(9_900, (index) => `！！！！！！！！！！${index}`) },
  { name: '16,000 objects', value: () => list(16_000, (a) => ({ a, b: 'b' })) },
  {
    name: 'lists 190 deep',
    value: () => list(180, () => list(190, () => 0).reduce<Json>((inner) => [inner], 0)),
  },
]
