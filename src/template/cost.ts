import type { CallCost } from './api.js'

/** Longest text that one call reads at all: as long as a text may get. */
const ANY_TEXT = 4 << 20
/** As long as a text may be that JavaScript code, not the engine below it, rewrites character by character. */
const REWRITTEN_TEXT = 256 << 10
const FEW_ELEMENTS = 20_000
const MANY_ELEMENTS = 100_000

/** Looks at a value or its ends, or gives it back: nothing but the call is charged. */
export const GLANCE: CallCost = {
  perCharacter: 0,
  maxCharacters: Number.POSITIVE_INFINITY,
  elements: 'none',
  perElement: 0,
  maxElements: Number.POSITIVE_INFINITY,
  makes: false,
}

/** Makes something of little: a list of given values, or of numbers. */
export const MAKE: CallCost = { ...GLANCE, makes: true }

/** Goes through texts once, as fast as the engine does. */
export const TEXT: CallCost = { ...GLANCE, perCharacter: 2, maxCharacters: ANY_TEXT, makes: true }

/** Rewrites texts character by character. */
export const REWRITE: CallCost = { ...TEXT, perCharacter: 40, maxCharacters: REWRITTEN_TEXT }

/** Looks at every character closely: letters, words, matches. */
export const SCRUTINY: CallCost = { ...TEXT, perCharacter: 150, maxCharacters: 64 << 10 }

/** Matches regular expressions, whose functions know how much more one call may do. */
export const MATCHES: CallCost = { ...TEXT, perCharacter: 100, maxCharacters: REWRITTEN_TEXT }

/** Reads numbers, which are short, and of what is none only the start. */
export const NUMBERS: CallCost = { ...TEXT, perCharacter: 5 }

/** Reads short texts such as dates, versions and paths. */
export const SHORT_TEXT: CallCost = { ...TEXT, perCharacter: 20, maxCharacters: 64 << 10 }

/** Copies a list. */
export const COPY: CallCost = { ...GLANCE, elements: 'own', perElement: 5, maxElements: 200_000, makes: true }

/** Copies a dict, or sorts its keys. */
export const COPY_DICT: CallCost = { ...COPY, perElement: 400, maxElements: FEW_ELEMENTS }

/** Reads each element of a list, and what is in it. */
export const ELEMENTS: CallCost = {
  ...TEXT,
  elements: 'all',
  perElement: 100,
  maxElements: MANY_ELEMENTS,
}

/** The same with more to do for each. */
export const FEW: CallCost = { ...ELEMENTS, perElement: 500, maxElements: FEW_ELEMENTS }

/** Copies a list element by element. */
export const COPY_MANY: CallCost = { ...COPY, perElement: 50, maxElements: MANY_ELEMENTS }

/** Parses JSON. */
export const JSON_TEXT: CallCost = { ...TEXT, perCharacter: 20, maxCharacters: 1 << 20 }

/** Prints YAML. */
export const YAML: CallCost = {
  ...ELEMENTS,
  perElement: 3_000,
  maxElements: 5_000,
  maxCharacters: REWRITTEN_TEXT,
}
