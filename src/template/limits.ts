import { SLICES } from '../util/slices/budgets.js'
import type { TemplateLimits } from './api.js'

/** Elements and members that one call goes through: about what takes `MAX_CALL_MS`. */
export const MAX_ELEMENTS = 100_000
/** Characters of a text that one call rewrites one by one in JavaScript, not in the engine below it, for the same reason. */
export const MAX_REWRITTEN = 256 << 10

/** What applies where no limit is given. */
export const DEFAULT_TEMPLATE_LIMITS: TemplateLimits = {
  maxSourceBytes: 256 << 10,
  maxActions: 5_000,
  maxParseDepth: 500,
  maxSteps: 10_000_000,
  maxOutputBytes: 8 << 20,
  maxDepth: 1_000,
  maxPartialDepth: 16,
  maxWidth: 100_000,
  maxMade: 128 << 20,
  maxParallelCalls: 16,
}

/** Places of a text that one call escapes, one by one: about what takes 10 ms. */
export const MAX_REWRITTEN_PLACES = 32 << 10
/** Nesting of a value that is printed: deeper data would overflow the stack. */
export const MAX_NESTING = 1_000
/** Verbs of one format of `printf`: about what is read and printed in 10 ms. */
export const MAX_VERBS = 20_000
/** Nesting of Handlebars blocks, which bounds the stack of everything that walks the tree. */
export const MAX_BLOCK_DEPTH = 64
/** The longest that the event loop may be held in one piece by a call and what came before it in the same slice, in milliseconds. */
const MAX_PIECE_MS = 20
/** The longest that one call may hold the event loop, in milliseconds: no call is begun that costs more. */
export const MAX_CALL_MS = MAX_PIECE_MS - SLICES.shared.ms
/** What the renders of a process may make together while they are under way, in characters. */
export const MAX_ALLOCATED_TOGETHER = 256 << 20
/** A render that made less is never refused for what others made. */
export const FREELY_ALLOCATED = 4 << 20
/** Elements, members and characters that one call passes on, on every path. */
export const MAX_PASSED = {
  plain: { elements: 1_000_000, characters: 64 << 20 },
  json: { elements: 50_000, characters: 8 << 20 },
} as const
/** A path of Handlebars, which bounds the code that reads it. */
export const MAX_PATH_CHARACTERS = 1_000
/** Operands of one action, which is compiled in one piece. */
export const MAX_OPERANDS = 1_000
/** Characters of a text that are parsed before others may have a turn, unless a single action is longer. */
export const PARSED_AT_A_STRETCH = 1_024
/**
 * A text that is printed; a longer one is refused before it is made, because a function that goes through it character
 * by character would hold the event loop.
 */
export const MAX_PRINTED_CHARACTERS = 2 ** 22
/** What one call of printf may add to its arguments in padding, whatever the limit of a single width. */
export const MAX_PADDING = 2 ** 24
/** Parts that one text is split into. */
export const MAX_SPLIT_PARTS = 50_000
/** Parts that one text is split into where each becomes a member of a dict. */
export const MAX_NUMBERED_PARTS = 10_000
/** Lists that one call makes: all are live at once, and the garbage collector copies them. */
export const MAX_CHUNKS = 20_000
/** A semantic version, or a constraint. */
export const MAX_VERSION_CHARACTERS = 256
/** Different characters that one call trims. */
export const MAX_TRIMMED_CHARACTERS = 10_000
/** Elements of a value that becomes a key of a dict. */
export const MAX_KEY_ELEMENTS = 50
/** Elements of all values that become keys of one dict. */
export const MAX_KEYS_ELEMENTS = 1_000
/** Nesting of dicts that are merged or copied. */
export const MAX_DICT_DEPTH = 500
/** Places of one text where a part is replaced. */
export const MAX_REPLACED_PARTS = 100_000
/** A regular expression. */
export const MAX_EXPRESSION_CHARACTERS = 1_000
/** Characters times instructions that one search may visit: matching is linear in both, and takes about 10 ns for each. */
export const MAX_SEARCH_WORK = 800_000
/** Matches of a regular expression that one call finds. */
export const MAX_MATCHES = 10_000
/**
 * How long one call may search with a regular expression. One search is linear, but one search per match of a text can be quadratic in total, as in Go. A render that can wait
 * lets other work run in between; any other render is stopped.
 */
export const MAX_SEARCH_MS = 30
/** A text whose tokens are counted. */
export const MAX_TOKENIZED_CHARACTERS = 8_000_000
/** What parsing the JSON of one call may cost, in nanoseconds. */
export const MAX_PARSE_UNITS = MAX_CALL_MS * 1_000_000
/** Nesting of a value that is written as YAML: each level is indented by those around it. */
export const MAX_YAML_NESTING = 100
/** Asynchronous calls of one render that wait for others: each keeps about a kilobyte, which the garbage collector copies. */
export const MAX_WAITING_CALLS = 2_000

/** Given limits on top of others; the same object when nothing is given. */
export function withLimits(base: TemplateLimits, given: Partial<TemplateLimits> | undefined): TemplateLimits {
  return given === undefined ? base : { ...base, ...given }
}
