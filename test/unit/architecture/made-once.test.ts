import { describe, expect, it } from 'vitest'
import { codeOf, SOURCES } from '../../support/imports.js'

const files = SOURCES.filter((file) => !file.startsWith('ui/'))

const ALLOWED = [
  // Made once for each connection, of a class whose package is read when there is one.
  'state/redis-connection.ts: class WrittenCommand',
  // Text of the code that is generated for a template whose tools answer later: one for each such template.
  'template/code/mode.ts: function*',
]

describe('generator functions and classes', () => {
  // V8 makes a hidden class for each, which only a collection of the whole heap takes away, with all that the function sees:
  // a compiled prompt and its render took 14 KB until then.
  it('are made once, not in each call of a function', () => {
    const found = files.flatMap((file) => madeAgain(codeOf(file)).map((what) => `${file}: ${what}`))
    expect(found).toEqual(ALLOWED)
  })

  it.each([
    ['function outer() {\n  function* inner() {}\n}', ['function* inner']],
    ['function outer() {\n  return async function* () {}\n}', ['function*']],
    ['const outer = () => {\n  const inner = function* () {}\n}', ['function*']],
    [
      'function outer() {\n  return {\n    *inner() {},\n    async *later() {},\n  }\n}',
      ['*inner', '*later'],
    ],
    ['const outer = () => ({ *inner() {} })', ['*inner']],
    ['class Outer {\n  method() {\n    return class Inner {}\n  }\n}', ['class Inner']],
    ['class Outer {\n  *method() {}\n  async *#other() {}\n  async *[Symbol.asyncIterator]() {}\n}', []],
    ['export const rule: Rule = function* () {\n  yield 2\n  * three()\n}', []],
    ['const rows = (list) => {\n  const yes = "class of 3"\n  return 4 *\n    six(list)\n}', []],
  ])('are found in %j', (text, expected) => expect(madeAgain(text)).toEqual(expected))
})

/** The generator functions and classes of a file's text that stand in a function: further in than members of a class. */
function madeAgain(text: string): readonly string[] {
  const nested =
    /^ +.*?(?<found>\bfunction\*(?: \w+)?)|^ {4,}(?:async )?(?<method>\*[\w#[]+)\([^\n]*\{|=>.*[{,] (?:async )?(?<short>\*[\w#[]+)\(|^ +(?:.*[=(] |return )?(?<type>class(?: \w+)?) (?:extends .*)?\{/gm
  return [...text.matchAll(nested)].map(({ groups = {} }) => Object.values(groups).find(Boolean) ?? '')
}
