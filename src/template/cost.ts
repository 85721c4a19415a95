import type { CallCost } from './api.js'
import { MAX_ELEMENTS, MAX_KEYS_ELEMENTS, MAX_REWRITTEN } from './limits.js'

/** Longest text that one call reads at all: about what takes 10 ms. */
const ANY_TEXT = 2 << 20
const FEW_ELEMENTS = 20_000
const MEMBERS = 10_000
/** What it takes to read, sort or copy the name of a member. */
const PER_MEMBER = 1_340

/** Looks at a value or its ends, or gives it back: nothing but the call is charged. */
export const GLANCE: CallCost = {
  perCall: 1_000,
  perCharacter: 0,
  maxCharacters: Number.POSITIVE_INFINITY,
  elements: 'none',
  perElement: 0,
  perMember: 0,
  maxElements: Number.POSITIVE_INFINITY,
  perCount: 0,
  makes: false,
}

/** Makes something of little: a list of given values. */
export const MAKE: CallCost = { ...GLANCE, makes: true }

/** Creates as many elements as an argument says. */
export const COUNT: CallCost = { ...MAKE, perCount: 20 }

/** Creates as many elements as an argument says, each with a text. */
export const COUNT_TEXTS: CallCost = { ...MAKE, perCount: 100 }

/** Goes through texts once, as fast as the engine does. */
export const TEXT: CallCost = { ...GLANCE, perCharacter: 4, maxCharacters: ANY_TEXT, makes: true }

/** Looks for spaces at the ends of a text, which may be all of it. */
export const TRIM: CallCost = { ...TEXT, perCharacter: 7.5 }

/** Maps letters to capitals or small ones, of which the engine looks those up that are not Latin. */
export const CASE: CallCost = { ...TEXT, perCharacter: 13 }

/** Rewrites texts character by character. */
export const REWRITE: CallCost = { ...TEXT, perCharacter: 40, maxCharacters: MAX_REWRITTEN }

/** Looks at every character closely: letters, places, encodings. */
export const SCRUTINY: CallCost = { ...TEXT, perCharacter: 150, maxCharacters: 64 << 10 }

/** Splits text into words. */
export const WORDS: CallCost = { ...TEXT, perCharacter: 450, maxCharacters: 24 << 10 }

/** Breaks texts into lines, which may be very short. */
export const LAYOUT: CallCost = { ...REWRITE, perCharacter: 140 }

/** Matches regular expressions, whose functions know how much more one call may do, and yield themselves. */
export const MATCHES: CallCost = { ...TEXT, perCharacter: 100, maxCharacters: MAX_REWRITTEN, inTurns: true }

/** Splits text into tokens; its functions bound the text, and yield themselves. */
export const TOKENS: CallCost = { ...GLANCE, perCharacter: 200, makes: true, inTurns: true }

/** Counts characters, and reads numbers, which are short. */
export const NUMBERS: CallCost = { ...TEXT, perCharacter: 10, maxCharacters: 1 << 20 }

/** Reads short texts such as versions and paths. */
export const SHORT_TEXT: CallCost = { ...TEXT, perCharacter: 20, maxCharacters: 64 << 10 }

/** Makes a dict of pairs: keys that are lists or dicts are printed. */
export const PAIRS: CallCost = {
  ...SHORT_TEXT,
  elements: 'all',
  perElement: 140,
  perMember: 140,
  // A text counts as two.
  maxElements: 2 * MAX_KEYS_ELEMENTS,
  onlyKeys: true,
}

/** Reads dates, durations and their layouts. */
export const DATE_TEXT: CallCost = { ...TEXT, perCharacter: 600, maxCharacters: 8 << 10 }

/** Copies a list. */
export const COPY: CallCost = {
  ...GLANCE,
  elements: 'own',
  perElement: 5,
  perMember: 0,
  maxElements: 200_000,
  makes: true,
}

/** Copies the part between two places, which texts may say. */
export const COPY_PART: CallCost = {
  ...COPY,
  perCharacter: NUMBERS.perCharacter,
  maxCharacters: NUMBERS.maxCharacters,
}

/** Counts: a list knows how many it has, and a large dict that came as JSON; the keys of other dicts are gathered. */
export const LENGTH: CallCost = {
  ...TEXT,
  elements: 'own',
  perElement: 1,
  perMember: 1,
  maxElements: Number.POSITIVE_INFINITY,
  makes: false,
}

/** Finds a place in a text, or in a list. */
export const PLACE: CallCost = { ...TEXT, makes: false }

/** Copies a dict, or sorts its keys. */
export const COPY_DICT: CallCost = {
  ...COPY,
  perElement: PER_MEMBER,
  perMember: PER_MEMBER,
  maxElements: MEMBERS,
}

/** Reads each element of a list, and what is in it; a member of a large dict takes as much as ten. */
export const ELEMENTS: CallCost = {
  ...TEXT,
  perCharacter: 7.5,
  elements: 'all',
  perElement: 140,
  perMember: PER_MEMBER,
  maxElements: MAX_ELEMENTS,
}

/** Prints all elements. */
export const PRINT: CallCost = { ...ELEMENTS, perElement: 220 }

/** Goes through all elements, and quotes or escapes texts. */
export const ESCAPE: CallCost = { ...ELEMENTS, perCharacter: 40 }

/** Goes through all elements, and escapes texts of which many characters become numbers. */
export const ESCAPE_AS_NUMBERS: CallCost = { ...ELEMENTS, perCharacter: 60 }

/** Goes through all elements, and escapes texts of which most characters become several, as in URLs. */
export const ESCAPE_MANY: CallCost = { ...ELEMENTS, perCharacter: 160 }

/** Writes JSON. */
export const JSON_VALUE: CallCost = { ...ESCAPE, perElement: 330 }

/** Looks for values among the elements of a list. */
export const SEARCH: CallCost = { ...ELEMENTS, perElement: 190 }

/** Sorts texts. */
export const SORT: CallCost = { ...ELEMENTS, perElement: 500 }

/** Goes through few elements, with more to do for each. */
export const FEW: CallCost = { ...ELEMENTS, perElement: 500, maxElements: FEW_ELEMENTS }

/** Copies a list element by element. */
export const COPY_MANY: CallCost = { ...COPY, perElement: 50, maxElements: MAX_ELEMENTS }

/** Reads a format of printf: the cost depends on its verbs, whose number is limited. */
export const FORMAT: CallCost = { ...TEXT, perCharacter: 10, makes: false }

/** Compares the end of a text with another. */
export const ENDS: CallCost = { ...GLANCE, perCharacter: 1 }

/** Compares two values: texts, and what lists and dicts hold as far as it is needed to refuse them. */
export const COMPARE: CallCost = { ...GLANCE, perCall: 20, perCharacter: 2 }

/**
 * Calls a function of a program, which bounds what it reads. Where texts have stray bytes, the copy that it gets costs what
 * `readLength` says; what one call passes on is bounded elsewhere.
 */
export const FOREIGN: CallCost = { ...MAKE, perCharacter: 1, inTurns: true }

/** Calls something outside the engine: a promise, possibly a failure, and the records of both. */
export const TOOL: CallCost = { ...FOREIGN, perCall: 50_000 }

/** Parses JSON. */
export const JSON_TEXT: CallCost = { ...TEXT, perCharacter: 15, maxCharacters: 1 << 20 }

/** Prints YAML. */
export const YAML: CallCost = {
  ...ELEMENTS,
  perElement: 3_900,
  perMember: 7_700,
  maxElements: 4_000,
  maxCharacters: MAX_REWRITTEN,
}
