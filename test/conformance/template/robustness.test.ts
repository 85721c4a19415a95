import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TemplateError } from '../../../src/template/api.js'
import { compile } from '../../../src/template/index.js'
import { anyCharacter } from '../../support/any-character.js'
import { someRuns } from '../../support/some-runs.js'
import { functions } from './functions.mjs'
import { mutate, randomCase } from './fuzz/grammar.mjs'
import { createRandom } from './fuzz/random.mjs'
import { decodeData, toEngineString } from './observe.mjs'

const RUNS = someRuns(3_000)
const LIMITS = { maxSteps: 20_000, maxOutputBytes: 200_000, maxWidth: 10_000 }
const DATA = { i: 1, s: 'héy', l: [1, null, 'x'], m: { k: { j: 2.5 } }, n: null, t: true }
/** Pieces that get past the lexer more often than plain noise. */
const PIECES = [
  '{{',
  '}}',
  '{{-',
  '-}}',
  'range',
  'end',
  'if',
  'else',
  'with',
  'define',
  '"',
  '`',
  '(',
  ')',
  '.l',
].concat([
  '|',
  '$x',
  ':=',
  '=',
  ',',
  ' ',
  '\n',
  'printf',
  '"%d"',
  '0x',
  '1e',
  "'",
  '\\',
  '/*',
  '*/',
  'break',
  '.',
])

describe('whatever the text, only a positioned TemplateError is thrown', () => {
  it('for any string', () => check(fc.string({ unit: anyCharacter, maxLength: 200 })))

  it('for any bytes', () =>
    check(fc.uint8Array({ maxLength: 200 }).map((bytes) => toEngineString(Buffer.from(bytes)))))

  it('for any soup of tokens', () =>
    check(
      fc
        .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })), { maxLength: 60 })
        .map((pieces) => pieces.join('')),
    ))

  it('for damaged templates and any data', () =>
    fc.assert(
      fc.property(fc.integer(), fc.json({ maxDepth: 4 }), (seed, json) => {
        const random = createRandom(seed)
        const testCase = randomCase(random)
        const text = mutate(random, mutate(random, testCase.template.toString()))
        run(text, JSON.parse(json))
        run(text, decodeData(testCase.data))
      }),
      { numRuns: RUNS },
    ))
})

function check(texts: fc.Arbitrary<string>): void {
  fc.assert(
    fc.property(texts, (text) => {
      run(text, DATA)
      run(`{{${text}}}`, DATA)
    }),
    { numRuns: RUNS },
  )
}

/** Compiles, prints back and renders; anything but a TemplateError with a position is a failure. */
function run(text: string, data: unknown): void {
  try {
    const template = compile(text, { functions, limits: LIMITS })
    expect(compile(template.toString(), { functions }).toString()).toBe(template.toString())
    expect(typeof template.renderSync(data, { limits: LIMITS })).toBe('string')
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    expect(error.line).toBeGreaterThanOrEqual(1)
    expect(error.column).toBeGreaterThanOrEqual(0)
    expect(error.message).toMatch(/^template: /)
  }
}
