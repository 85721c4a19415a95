import type { Sliced } from '../../util/slices/sliced.js'
import type { CallScope } from '../api.js'
import {
  CASE,
  ELEMENTS,
  ENDS,
  ESCAPE,
  GLANCE,
  LAYOUT,
  NUMBERS,
  SCRUTINY,
  TEXT,
  TRIM,
  WORDS,
} from '../cost.js'
import { normalizeBytes, runeCount } from '../format/byte-string.js'
import { formatArgument } from '../format/format-value.js'
import { checkLength, checkWidth, GoError } from '../format/go-error.js'
import { quoteAll } from '../format/quote.js'
import { rewrite } from '../format/rewrite.js'
import { MAX_NUMBERED_PARTS, MAX_SPLIT_PARTS } from '../limits.js'
import { Typed, type Value } from '../value.js'
import { castString, castStrings, stringList } from './cast.js'
import { inTurns } from './in-turns.js'
import { abbreviate, substring, truncate, wrapText } from './layout.js'
import { isSpace, SPACE_CLASS, swapCase, toLower, toTitle, toUpper, uncapitalize } from './letter-case.js'
import { anything, definer, type LibraryFunction } from './library-function.js'
import { abbreviateRunes, substringRunes, truncateRunes } from './runes.js'
import { replaceAll, splitText } from './split-text.js'
import { trimCharacters, trimSpace } from './trim-text.js'
import { toCamelCase, toKebabCase, toSnakeCase } from './word-case.js'

type Integer = number | bigint

/** A list that is joined at once. */
const SHORT_LIST = 2_000
/** Elements that a longer one joins between two looks. */
const JOINED_IN_STEP = 100
const define = definer('Strings', TEXT)
const SPACES = new RegExp(`[${SPACE_CLASS}]+`, 'g')

/** Functions of text; positions and lengths are in bytes, as Sprig counts. */
export const STRING_FUNCTIONS: readonly LibraryFunction[] = [
  define('trim text', 'Without space at both ends.', {
    cost: TRIM,
    parameters: ['string'],
    returns: 'string',
    call: trimSpace,
    example: '{{trim "  hello  "}}',
  }),
  define('trimAll characters text', 'Without any of the characters at both ends.', {
    parameters: ['string', 'string'],
    returns: 'string',
    aliases: ['trimall'],
    call: trimCharacters,
    example: '{{trimAll "$" "$5.00"}}',
  }),
  define('trimPrefix prefix text', 'Without the prefix.', {
    cost: ENDS,
    parameters: ['string', 'string'],
    returns: 'string',
    call: (prefix: string, text: string) => (text.startsWith(prefix) ? text.slice(prefix.length) : text),
    example: '{{trimPrefix "-" "-hello"}}',
  }),
  define('trimSuffix suffix text', 'Without the suffix.', {
    cost: ENDS,
    parameters: ['string', 'string'],
    returns: 'string',
    call: (suffix: string, text: string) =>
      text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
    example: '{{trimSuffix "-" "hello-"}}',
  }),
  define('upper text', 'In capitals.', {
    cost: CASE,
    parameters: ['string'],
    returns: 'string',
    call: toUpper,
    example: '{{upper "hello"}}',
  }),
  define('lower text', 'In small letters.', {
    cost: CASE,
    parameters: ['string'],
    returns: 'string',
    call: toLower,
    example: '{{lower "HELLO"}}',
  }),
  define('title text', 'The first letter of each word as a capital.', {
    cost: SCRUTINY,
    parameters: ['string'],
    returns: 'string',
    call: toTitle,
    example: '{{title "hello world"}}',
  }),
  define('untitle text', 'The first letter of each word as a small one.', {
    cost: SCRUTINY,
    parameters: ['string'],
    returns: 'string',
    call: uncapitalize,
    example: '{{untitle "Hello World"}}',
  }),
  define('swapcase text', 'Capitals small and small letters capital, the first of a word in title case.', {
    cost: SCRUTINY,
    parameters: ['string'],
    returns: 'string',
    call: swapCase,
    example: '{{swapcase "Hello World"}}',
  }),
  define('snakecase text', 'From camel case to snake case.', {
    cost: WORDS,
    parameters: ['string'],
    returns: 'string',
    call: toSnakeCase,
    example: '{{snakecase "FirstName"}}',
  }),
  define('camelcase text', 'From snake case to camel case.', {
    cost: WORDS,
    parameters: ['string'],
    returns: 'string',
    call: toCamelCase,
    example: '{{camelcase "http_server"}}',
  }),
  define('kebabcase text', 'From camel case to kebab case.', {
    cost: WORDS,
    parameters: ['string'],
    returns: 'string',
    call: toKebabCase,
    example: '{{kebabcase "FirstName"}}',
  }),
  define('repeat count text', 'The text, `count` times.', {
    parameters: ['int', 'string'],
    returns: 'string',
    scoped: true,
    call: repeat,
    example: '{{repeat 3 "ab"}}',
  }),
  define('substr start end text', 'The bytes from start to end; a negative end means the end of the text.', {
    parameters: ['int', 'int', 'string'],
    returns: 'string',
    call: (start: Integer, end: Integer, text: string) => substring(Number(start), Number(end), text),
    example: '{{substr 0 5 "hello world"}}',
  }),
  define('trunc count text', 'The first bytes, or the last if the count is negative.', {
    parameters: ['int', 'string'],
    returns: 'string',
    call: (count: Integer, text: string) => truncate(Number(count), text),
    example: '{{trunc 5 "hello world"}}',
  }),
  define('abbrev width text', 'At most `width` bytes, with `...` at the end if text was left out.', {
    parameters: ['int', 'string'],
    returns: 'string',
    call: (width: Integer, text: string) => (width < 4 ? text : abbreviate(text, 0, Number(width))),
    example: '{{abbrev 8 "hello world"}}',
  }),
  define('abbrevboth offset width text', 'As abbrev, with text left out on both sides.', {
    parameters: ['int', 'int', 'string'],
    returns: 'string',
    call: abbreviateBoth,
    example: '{{abbrevboth 5 10 "1234 5678 9123"}}',
  }),
  define('truncRunes count text', 'As trunc, in characters: for text that is not ASCII.', {
    cost: NUMBERS,
    parameters: ['int', 'string'],
    returns: 'string',
    call: (count: Integer, text: string) => truncateRunes(Number(count), text),
    example: '{{truncRunes 2 "今天天气"}}',
  }),
  define('substrRunes start end text', 'As substr, in characters.', {
    cost: NUMBERS,
    parameters: ['int', 'int', 'string'],
    returns: 'string',
    call: (start: Integer, end: Integer, text: string) => substringRunes(Number(start), Number(end), text),
    example: '{{substrRunes 2 4 "今天天气"}}',
  }),
  define('abbrevRunes width text', 'As abbrev, in characters.', {
    cost: NUMBERS,
    parameters: ['int', 'string'],
    returns: 'string',
    call: (width: Integer, text: string) => abbreviateRunes(Number(width), text),
    example: '{{abbrevRunes 5 "今天天气很好"}}',
  }),
  define('lenRunes text', 'How many characters a text has; len counts bytes.', {
    cost: NUMBERS,
    parameters: ['string'],
    returns: 'int',
    call: (text: string) => runeCount(text),
    example: '{{lenRunes "今天天气"}}',
  }),
  define('initials text', 'The first letter of each word; unlike in Sprig, also beyond ASCII.', {
    cost: SCRUTINY,
    parameters: ['string'],
    returns: 'string',
    call: initials,
    example: '{{initials "First Try"}}',
  }),
  define('nospace text', 'Without any space. Unlike in Sprig, text beyond ASCII stays intact.', {
    parameters: ['string'],
    returns: 'string',
    call: (text: string) => withoutSpaces(text),
    example: '{{nospace "h e l l o"}}',
  }),
  define('wrap width text', 'Lines of at most `width` bytes, broken at spaces.', {
    cost: LAYOUT,
    parameters: ['int', 'string'],
    returns: 'string',
    call: (width: Integer, text: string) => wrapText(text, Number(width), '', false),
    example: '{{wrap 5 "hello big world"}}',
  }),
  define('wrapWith width newline text', 'As wrap, with another line break; longer words are broken too.', {
    cost: LAYOUT,
    parameters: ['int', 'string', 'string'],
    returns: 'string',
    call: (width: Integer, newline: string, text: string) => wrapText(text, Number(width), newline, true),
    example: '{{wrapWith 5 "|" "hello wonderful"}}',
  }),
  define('contains part text', 'True if the text has the part.', {
    parameters: ['string', 'string'],
    returns: 'bool',
    call: (part: string, text: string) => text.includes(part),
    example: '{{contains "cat" "catch"}}',
  }),
  define('hasPrefix prefix text', 'True if the text starts with the prefix.', {
    cost: ENDS,
    parameters: ['string', 'string'],
    returns: 'bool',
    call: (prefix: string, text: string) => text.startsWith(prefix),
    example: '{{hasPrefix "cat" "catch"}}',
  }),
  define('hasSuffix suffix text', 'True if the text ends with the suffix.', {
    cost: ENDS,
    parameters: ['string', 'string'],
    returns: 'bool',
    call: (suffix: string, text: string) => text.endsWith(suffix),
    example: '{{hasSuffix "ch" "catch"}}',
  }),
  define('quote value…', 'Each value in double quotes with escapes, nil left out.', {
    cost: ESCAPE,
    parameters: anything(1),
    variadic: true,
    returns: 'string',
    call: (...values: Value[]) => quoteAll(withoutNil(values).map(castString)).join(' '),
    example: '{{quote "say \\"hi\\"" 5}}',
  }),
  define('squote value…', 'Each value in single quotes, without escapes, nil left out.', {
    cost: ELEMENTS,
    parameters: anything(1),
    variadic: true,
    returns: 'string',
    call: (...values: Value[]) =>
      withoutNil(values)
        .map((value) => `'${formatArgument(value)}'`)
        .join(' '),
    example: '{{squote "a" 5}}',
  }),
  define('cat value…', 'The values with a space between them, nil left out.', {
    cost: ELEMENTS,
    parameters: anything(1),
    variadic: true,
    returns: 'string',
    call: (...values: Value[]) => withoutNil(values).map(formatArgument).join(' '),
    example: '{{cat "hello" "beautiful" 1}}',
  }),
  define('indent count text', 'Every line indented by `count` spaces.', {
    parameters: ['int', 'string'],
    returns: 'string',
    scoped: true,
    call: indent,
    example: '{{indent 2 "a\\nb"}}',
  }),
  define('nindent count text', 'As indent, after a line break.', {
    parameters: ['int', 'string'],
    returns: 'string',
    scoped: true,
    call: (scope: CallScope, count: Integer, text: string) => `\n${indent(scope, count, text)}`,
    example: '{{nindent 2 "a\\nb"}}',
  }),
  define('replace old new text', 'Every occurrence of old replaced.', {
    parameters: ['string', 'string', 'string'],
    returns: 'string',
    call: replaceAll,
    example: '{{replace " " "-" "I am here"}}',
  }),
  define('plural one many count', 'The first text for 1, the second for every other count.', {
    cost: GLANCE,
    parameters: ['string', 'string', 'int'],
    returns: 'string',
    call: (one: string, many: string, count: Integer) => (Number(count) === 1 ? one : many),
    example: '{{plural "file" "files" 2}}',
  }),
  define('join separator list', 'The elements as one text.', {
    cost: ELEMENTS,
    parameters: ['string', 'any'],
    returns: 'string',
    scoped: true,
    call: joinList,
    example: '{{join ", " (list "a" "b" 3)}}',
  }),
  define('split separator text', 'The parts as a dict with the keys _0, _1, …', {
    parameters: ['string', 'string'],
    call: (separator: string, text: string) => numbered(splitText(text, separator, -1, MAX_NUMBERED_PARTS)),
    example: '{{(split "$" "foo$bar")._1}}',
  }),
  define('splitn separator count text', 'As split, at most `count` parts.', {
    parameters: ['string', 'int', 'string'],
    call: (separator: string, count: Integer, text: string) =>
      numbered(splitText(text, separator, Number(count), MAX_NUMBERED_PARTS)),
    example: '{{(splitn "$" 2 "foo$bar$baz")._1}}',
  }),
  define('splitList separator text', 'The parts as a list.', {
    parameters: ['string', 'string'],
    returns: '[]string',
    call: (separator: string, text: string) => stringList(splitText(text, separator, -1, MAX_SPLIT_PARTS)),
    example: '{{splitList "$" "foo$bar"}}',
  }),
]

function repeat(scope: CallScope, count: Integer, text: string): string {
  const times = Number(count)
  if (times < 0) throw new GoError('strings: negative Repeat count')
  checkWidth(times, scope.maxWidth)
  checkLength(times * text.length)
  return text.repeat(times)
}

function indent(scope: CallScope, count: Integer, text: string): string {
  const pad = repeat(scope, count, ' ')
  return pad + replaceAll('\n', `\n${pad}`, text)
}

function withoutSpaces(text: string): string {
  return rewrite(text, SPACES, () => '')
}

function numbered(parts: readonly string[]): Typed {
  return new Typed('map[string]string', Object.fromEntries(parts.map((part, i) => [`_${i}`, part])))
}

function joinList(scope: CallScope, separator: string, list: Value): unknown {
  if (Array.isArray(list) && list.length > SHORT_LIST) return inTurns(scope, joining(separator, list))
  return joined(separator, castStrings(list))
}

/** A large number takes half a microsecond. */
function* joining(separator: string, elements: readonly Value[]): Sliced<string> {
  const parts: string[] = []
  for (let from = 0; from < elements.length; from += JOINED_IN_STEP) {
    parts.push(...castStrings(elements.slice(from, from + JOINED_IN_STEP)))
    yield
  }
  return joined(separator, parts)
}

function joined(separator: string, parts: readonly string[]): string {
  checkLength(parts.length * separator.length + parts.reduce((sum, part) => sum + part.length, 0))
  return parts.join(separator)
}

function initials(text: string): string {
  let letters = ''
  let afterSpace = true
  for (const character of normalizeBytes(text)) {
    const space = isSpace(character)
    if (afterSpace && !space) letters += character
    afterSpace = space
  }
  return letters
}

function abbreviateBoth(offset: Integer, width: Integer, text: string): string {
  if (width < 4 || (offset > 0 && width < 7)) return text
  return abbreviate(text, Number(offset), Number(width))
}

function withoutNil(values: readonly Value[]): Value[] {
  return values.filter((value) => value !== null && value !== undefined)
}
