/** Calls of a tool as a model's server writes them: each by the text of its arguments. */
export interface NativeCallsRow {
  readonly name: string
  readonly calls: () => readonly string[]
}

const LONG = 3_900_000
const around = (inside: string) => `{"path":"a","more":${inside}}`
const list = (item: string, count: number) => `[${`${item},`.repeat(count - 1)}${item}]`

/** Arguments that are too large, too many, or none. */
export const NATIVE_CALLS: readonly NativeCallsRow[] = [
  one('a text of 3.9 MB', () => around(`"${'x'.repeat(LONG)}"`)),
  one('a text of 900 KB', () => around(`"${'x'.repeat(900_000)}"`)),
  one('1.9 million numbers', () => around(list('1', LONG / 2))),
  one('90,000 numbers', () => around(list('1', 90_000))),
  one('30,000 objects', () => around(list('{"b":1,"a":2}', 30_000))),
  one('40,000 names', () => around(`{${Array.from({ length: 40_000 }, (_, i) => `"n${i}":1`).join(',')}}`)),
  one('integers of many digits', () => around(list('12345678901234567890', 9_000))),
  one('lists 900,000 deep', () => around('['.repeat(900_000) + ']'.repeat(900_000))),
  one('JSON of 3.9 MB that is none', () => around(`"${'x'.repeat(LONG)}`)),
  one('JSON of 900 KB that ends too early', () => `{"path":"${'\\u0041'.repeat(150_000)}`),
  one('900 KB of opening brackets', () => '{'.repeat(900_000)),
  one('spaces', () => ' '.repeat(LONG)),
  ten('ten texts of 390 KB', () => around(`"${'x'.repeat(390_000)}"`)),
  ten('ten lists of 90,000 numbers', () => around(list('1', 90_000))),
  ten('ten lists of 9,000 objects', () => around(list('{"b":1,"a":2}', 9_000))),
  ten('ten of 32 KB that are no JSON', () => `{"path": 'a', b: [${"'x',".repeat(8_000)}`),
  ten('ten of 60 KB that are no JSON', () => `{"path": 'a', b: [${"'x',".repeat(15_000)}`),
]

function one(name: string, text: () => string): NativeCallsRow {
  return { name, calls: () => [text()] }
}

function ten(name: string, text: () => string): NativeCallsRow {
  return { name, calls: () => new Array<string>(10).fill(text()) }
}
