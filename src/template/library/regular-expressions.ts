import type { RE2JS } from 're2js'
import { at } from '../../util/at.js'
import { errorMessage } from '../../util/errors/error-message.js'
import { re2js } from '../../util/packages/re2js.js'
import { ifStopped } from '../../util/slices/slice.js'
import type { Sliced } from '../../util/slices/sliced.js'
import type { CallScope } from '../api.js'
import { MATCHES } from '../cost.js'
import { checkLength, GoError, LimitError } from '../format/go-error.js'
import { canBackquote, quote } from '../format/quote.js'
import { MAX_EXPRESSION_CHARACTERS, MAX_MATCHES, MAX_SEARCH_MS, MAX_SEARCH_WORK } from '../limits.js'
import { stringList } from './cast.js'
import { inTurns } from './in-turns.js'
import {
  definer,
  type FunctionDefinition,
  type LibraryFunction,
  nameIn,
  withMust,
} from './library-function.js'

type Integer = number | bigint

const define = definer('Regular expressions', MATCHES)
const CACHE_SIZE = 100
const META = /[\\.+*?()|[\]{}^$]/g
const REFERENCE = /\$(?:(\$)|\{([^{}]*)\}|([0-9A-Za-z_]+))/g

/** A match as pairs of start and end, one for the whole and one for each group; −1 where a group has none. */
type Match = readonly number[]

/** Functions of RE2 expressions, whose time is linear in the text. */
export const REGEX_FUNCTIONS: readonly LibraryFunction[] = [
  define('regexMatch pattern text', 'True if the text has a match; false if the pattern does not parse.', {
    parameters: ['string', 'string'],
    returns: 'bool',
    call: (pattern: string, text: string) => parses(pattern) && compiled(pattern).isMatch(text),
    example: '{{regexMatch "^[a-z]+$" "hello"}}',
  }),
  define('mustRegexMatch pattern text', 'As regexMatch; a pattern that does not parse is an error.', {
    parameters: ['string', 'string'],
    returns: 'bool',
    call: (pattern: string, text: string) => compiled(pattern).isMatch(text),
    example: '{{mustRegexMatch "^[a-z]+$" "hello"}}',
  }),
  ...defineBoth('regexFind pattern text', 'The first match, "" without one.', {
    parameters: ['string', 'string'],
    returns: 'string',
    call: (scope: CallScope, pattern: string, text: string) =>
      searched(scope, findAll(pattern, text, 1), (found) => found[0] ?? ''),
    example: '{{regexFind "[a-z][1-9]" "abcd1234"}}',
  }),
  ...defineBoth('regexFindAll pattern text count', 'The first `count` matches, all for −1.', {
    parameters: ['string', 'string', 'int'],
    returns: '[]string',
    call: (scope: CallScope, pattern: string, text: string, count: Integer) =>
      searched(scope, findAll(pattern, text, Number(count)), stringList),
    example: '{{regexFindAll "[2468]" "123456789" -1}}',
  }),
  ...defineBoth(
    'regexReplaceAll pattern text replacement',
    'Every match replaced; `$1` and `${name}` mean groups.',
    {
      parameters: ['string', 'string', 'string'],
      returns: 'string',
      call: (scope: CallScope, pattern: string, text: string, replacement: string) =>
        searched(
          scope,
          replaceAll(pattern, text, (expression, match) => expand(replacement, expression, match, text)),
        ),
      example: '{{regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W"}}',
    },
  ),
  ...defineBoth(
    'regexReplaceAllLiteral pattern text replacement',
    'Every match replaced by the text as it is.',
    {
      parameters: ['string', 'string', 'string'],
      returns: 'string',
      call: (scope: CallScope, pattern: string, text: string, replacement: string) =>
        searched(
          scope,
          replaceAll(pattern, text, () => replacement),
        ),
      example: '{{regexReplaceAllLiteral "a(x*)b" "-ab-axxb-" "$1"}}',
    },
  ),
  ...defineBoth('regexSplit pattern text count', 'The parts between matches, at most `count`, all for −1.', {
    parameters: ['string', 'string', 'int'],
    returns: '[]string',
    call: (scope: CallScope, pattern: string, text: string, count: Integer) =>
      searched(scope, split(pattern, text, Number(count)), stringList),
    example: '{{regexSplit "z+" "pizza" -1}}',
  }),
  define('regexQuoteMeta text', 'The text as an expression that matches just it.', {
    parameters: ['string'],
    returns: 'string',
    call: (text: string) => text.replace(META, '\\$&'),
    example: '{{regexQuoteMeta "1.2.3"}}',
  }),
]

/**
 * Both forms of a function whose first argument after the scope is a pattern: Sprig's plain one panics with the words
 * of regexp.MustCompile, the `must` one returns the error itself.
 */
function defineBoth(signature: string, summary: string, definition: FunctionDefinition): LibraryFunction[] {
  const panicking = (scope: CallScope, pattern: string, ...rest: unknown[]) => {
    compiledOrPanic(pattern)
    return Reflect.apply(definition.call, undefined, [scope, pattern, ...rest])
  }
  const must = at(withMust(nameIn(signature)), 0)
  return [
    define(signature, summary, { ...definition, scoped: true, call: panicking }),
    define(signature.replace(/^\S+/, must), `As ${nameIn(signature)}, with another error message.`, {
      ...definition,
      scoped: true,
      example: definition.example.replace(/regex\w+/, must),
    }),
  ]
}

class Expression {
  readonly #expression: RE2JS

  constructor(pattern: string) {
    this.#expression = re2js().RE2JS.compile(pattern)
  }

  isMatch(text: string): boolean {
    this.#bound(text)
    return this.#expression.matcher(text).find()
  }

  groupIndex(name: string): number {
    return this.#expression.namedGroups()[name] ?? -1
  }

  /** The matches in the order of Go's searches: from a position on, which the callback moves. Each is a step. */
  *search(text: string, visit: (match: Match) => number | undefined): Sliced<void> {
    this.#bound(text)
    const matcher = this.#expression.matcher(text)
    let position: number | undefined = 0
    while (position !== undefined && position <= text.length && matcher.find(position)) {
      const match: number[] = []
      for (let group = 0; group <= matcher.groupCount(); group++)
        match.push(matcher.start(group), matcher.end(group))
      position = visit(match)
      yield
    }
  }

  #bound(text: string): void {
    const size = this.#expression.programSize()
    if (text.length * size > MAX_SEARCH_WORK) {
      throw new LimitError('width', `regular expression of size ${size} on ${text.length} characters`)
    }
  }
}

/** What steps find, made into what the function answers. */
function searched<Found, Answer = Found>(
  scope: CallScope,
  steps: Sliced<Found>,
  toAnswer?: (found: Found) => Answer,
): unknown {
  const found = inTurns(scope, steps, (elapsedMs) => {
    if (elapsedMs > MAX_SEARCH_MS)
      throw new LimitError('width', `regular expression searched for more than ${MAX_SEARCH_MS} ms`)
  })
  if (toAnswer === undefined) return found
  return found instanceof Promise ? found.then(toAnswer) : toAnswer(found)
}

/** Expressions are pure, so the latest are kept: templates use few of them, again and again. */
const cache = new Map<string, Expression>()

/** An expression that was interrupted keeps what it was doing. */
const forgetAll = () => cache.clear()

function compiled(pattern: string): Expression {
  ifStopped(forgetAll)
  const known = cache.get(pattern)
  if (known !== undefined) return known
  if (pattern.length > MAX_EXPRESSION_CHARACTERS) {
    throw new LimitError('width', `regular expression longer than ${MAX_EXPRESSION_CHARACTERS} characters`)
  }
  const expression = parse(pattern)
  const oldest = cache.keys().next().value
  if (cache.size >= CACHE_SIZE && oldest !== undefined) cache.delete(oldest)
  cache.set(pattern, expression)
  return expression
}

function parse(pattern: string): Expression {
  // In a slice this may throw what no template fails on: the package is read outside of it.
  re2js()
  try {
    return new Expression(pattern)
  } catch (cause) {
    throw new GoError(errorMessage(cause))
  }
}

function compiledOrPanic(pattern: string): void {
  try {
    compiled(pattern)
  } catch (error) {
    if (!(error instanceof GoError)) throw error
    const shown = canBackquote(pattern) ? `\`${pattern}\`` : quote(pattern)
    throw new GoError(`regexp: Compile(${shown}): ${error.message}`)
  }
}

function parses(pattern: string): boolean {
  try {
    compiled(pattern)
    return true
  } catch (error) {
    if (error instanceof GoError) return false
    throw error
  }
}

/** Go's FindAll: an empty match right after another one does not count. */
function* findAllMatches(pattern: string, text: string, count: number): Sliced<readonly Match[]> {
  const limit = count < 0 ? text.length + 1 : count
  const matches: Match[] = []
  let position = 0
  let previousEnd = -1
  if (limit === 0) return matches
  yield* compiled(pattern).search(text, (match) => {
    const [start = 0, end = 0] = match
    const isEmpty = end === position
    if (!isEmpty || start !== previousEnd) matches.push(match)
    if (matches.length > MAX_MATCHES)
      throw new LimitError('width', `more than ${MAX_MATCHES} matches of a regular expression`)
    position = isEmpty ? position + widthAt(text, position) : end
    previousEnd = end
    return matches.length < limit ? position : undefined
  })
  return matches
}

function* findAll(pattern: string, text: string, count: number): Sliced<string[]> {
  return (yield* findAllMatches(pattern, text, count)).map(([start, end]) => text.slice(start, end))
}

function* replaceAll(
  pattern: string,
  text: string,
  replacement: (expression: Expression, match: Match) => string,
): Sliced<string> {
  const expression = compiled(pattern)
  let result = ''
  let copied = 0
  let position = 0
  yield* expression.search(text, (match) => {
    const [start = 0, end = 0] = match
    result += text.slice(copied, start)
    if (end > copied || start === 0) result += replacement(expression, match)
    checkLength(result.length)
    copied = end
    position = Math.max(position + widthAt(text, position), end)
    return position
  })
  return result + text.slice(copied)
}

function* split(pattern: string, text: string, count: number): Sliced<string[]> {
  if (count === 0) return []
  if (pattern !== '' && text === '') return ['']
  const parts: string[] = []
  let start = 0
  let end = 0
  for (const match of yield* findAllMatches(pattern, text, count)) {
    if (count > 0 && parts.length === count - 1) break
    const [from = 0, to = 0] = match
    end = from
    if (to !== 0) parts.push(text.slice(start, end))
    start = to
  }
  if (end !== text.length) parts.push(text.slice(start))
  return parts
}

function expand(template: string, expression: Expression, match: Match, text: string): string {
  return template.replace(REFERENCE, (whole, dollar, braced, bare) => {
    if (dollar !== undefined) return '$'
    const name: string = braced ?? bare
    if (braced !== undefined && !/^[0-9A-Za-z_]+$/.test(name)) return whole
    const group = /^[0-9]+$/.test(name) ? Number(name) : expression.groupIndex(name)
    const start = match[2 * group] ?? -1
    return start < 0 ? '' : text.slice(start, match[2 * group + 1])
  })
}

function widthAt(text: string, position: number): number {
  return (text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1
}
