import fc from 'fast-check'

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800
const LAST = 0x10ffff

/**
 * Any character there is, for `fc.string({ unit: anyCharacter })`. Like fast-check's own `binary`, which makes a table of
 * all of them first: that took most of a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(LAST - SURROGATES)
  .map((number) => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES))
