import { withoutTrailing } from '../../util/text/without-trailing.js'
import type { CallScope } from '../api.js'
import { TEXT, TOKENS } from '../cost.js'
import { LimitError } from '../format/go-error.js'
import { MAX_TOKENIZED_CHARACTERS } from '../limits.js'
import { definer, type LibraryFunction } from './library-function.js'
import { decodeTokens, encodeSegment, loadEncoding, segmentsOf } from './tokenizer.js'

const define = definer('Prompts', TEXT)
/** The most that is tokenized in one piece, in a render that cannot wait. */
const SYNCHRONOUS_LENGTH = 100_000
/** So much is tokenized in one turn. */
const TURN_LENGTH = 10_000
const SHORTEST_FENCE = 3

/** Functions that only prompts need. */
export const PROMPT_FUNCTIONS: readonly LibraryFunction[] = [
  define('tokens text', 'How many tokens of the o200k_base encoding the text has.', {
    cost: TOKENS,
    parameters: ['string'],
    returns: 'int',
    scoped: true,
    call: countTokens,
    example: '{{tokens "The quick brown fox"}}',
  }),
  define('truncateTokens count text', 'The text, cut after `count` tokens.', {
    cost: TOKENS,
    parameters: ['int', 'string'],
    returns: 'string',
    scoped: true,
    call: (scope: CallScope, count: number | bigint, text: string) =>
      truncateTokens(scope, Number(count), text),
    example: '{{truncateTokens 2 "The quick brown fox"}}',
  }),
  define('codeBlock language text', 'A fenced Markdown block, with a fence that the text does not contain.', {
    parameters: ['string', 'string'],
    returns: 'string',
    call: codeBlock,
    example: '{{codeBlock "go" "fmt.Println(1)"}}',
  }),
]

function countTokens(scope: CallScope, text: string): number | Promise<number> {
  let count = 0
  return overSegments(
    scope,
    text,
    (segment) => {
      count += encodeSegment(segment).length
      return true
    },
    () => count,
  )
}

function truncateTokens(scope: CallScope, limit: number, text: string): string | Promise<string> {
  let remaining = Math.max(limit, 0)
  let kept = 0
  const visit = (segment: string) => {
    const tokens = encodeSegment(segment)
    if (tokens.length <= remaining) {
      remaining -= tokens.length
      kept += segment.length
      return true
    }
    kept += prefixLength(segment, tokens.slice(0, remaining))
    return false
  }
  return overSegments(scope, text, visit, () => text.slice(0, kept))
}

/** Tokens may end inside a character, which then is left out. */
function prefixLength(segment: string, tokens: readonly number[]): number {
  const decoded = decodeTokens(tokens)
  if (segment.startsWith(decoded)) return decoded.length
  return withoutTrailing(decoded, '\ufffd').length
}

/** Visits the segments until one says stop: at once for ordinary texts, in turns for long ones and the first one. */
function overSegments<T>(
  scope: CallScope,
  text: string,
  visit: (segment: string) => boolean,
  result: () => T,
): T | Promise<T> {
  if (text.length > MAX_TOKENIZED_CHARACTERS)
    throw new LimitError('width', `text of ${text.length} characters to tokenize`)
  const loading = scope.mayWait ? loadEncoding() : undefined
  const segments = segmentsOf(text)
  const isDone = () => isOverWithin(scope.mayWait ? TURN_LENGTH : SYNCHRONOUS_LENGTH, segments, visit)
  const mayBegin = loading === undefined && (scope.mayWait || text.length <= SYNCHRONOUS_LENGTH)
  // Within the call: later ones of the same slice see how long it took.
  if (mayBegin && isDone()) return result()
  return overSegmentsInTurns(scope, isDone, result, loading)
}

/** Visits segments until one says stop, or they are this long together. @returns false in the second case */
function isOverWithin(
  most: number,
  segments: Iterator<string>,
  visit: (segment: string) => boolean,
): boolean {
  for (let length = 0; length <= most; ) {
    const { done, value } = segments.next()
    if (done === true || !visit(value)) return true
    length += value.length
  }
  return false
}

async function overSegmentsInTurns<T>(
  scope: CallScope,
  isDone: () => boolean,
  result: () => T,
  loading: Promise<void> | undefined,
): Promise<T> {
  await loading
  do await scope.giveWay()
  while (!scope.slice(isDone))
  return result()
}

function codeBlock(language: string, text: string): string {
  const longest = longestRun(text)
  const fence = '`'.repeat(Math.max(SHORTEST_FENCE, longest + 1))
  return `${fence}${language}\n${text.endsWith('\n') || text === '' ? text : `${text}\n`}${fence}`
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
