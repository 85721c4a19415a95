import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { list, names } from './json-texts.js'

/** What a tool answers with, and what becomes of the call. */
export interface ToolRow {
  readonly name: string
  /** Of the content; several are several headers. */
  readonly encoding?: string | readonly string[]
  readonly body: () => string | Buffer
  /** Default none. */
  readonly arguments?: () => object
  /**
   * Which tool: `asked` has them in its url, the results of `kept` are kept by them, and `gone` has failed so often that it is
   * not called. Default the one that is just run.
   */
  readonly tool?: 'run' | 'asked' | 'kept' | 'gone'
  /** Default 200. */
  readonly status?: number
  /** Why the call fails; absent when the answer is read. */
  readonly failure?: { readonly code: string; readonly message: RegExp }
}

const WHOLE = '{"text":"hi"}'
const NEARLY_MB = 900_000
/** Far more than an answer may have. */
const SPACES = gzipSync(Buffer.alloc(20_000_000, ' '))

/** Answers of REST tools in encodings that nobody asked for. */
export const ENCODED_ANSWERS: readonly ToolRow[] = [
  refused('Brotli', 'br', brotliCompressSync(WHOLE)),
  refused('Brotli in capitals', 'BR', brotliCompressSync(WHOLE)),
  refused('Brotli that is none', 'br', Buffer.from(WHOLE)),
  refused('Brotli in gzip', 'br, gzip', gzipSync(brotliCompressSync(WHOLE))),
  refused('gzip in Brotli', 'gzip,br', brotliCompressSync(gzipSync(WHOLE))),
  refused('Brotli in a second header', ['gzip', 'br'], brotliCompressSync(gzipSync(WHOLE))),
  { ...refused('Brotli with a status', 'br', brotliCompressSync(WHOLE)), status: 503 },
  refused('Zstandard', 'zstd', Buffer.from(WHOLE)),
  refused('an unknown encoding', 'x-new', Buffer.from(WHOLE)),
  { name: 'gzip', encoding: 'gzip', body: () => gzipSync(WHOLE) },
  { name: 'deflate', encoding: 'Deflate', body: () => deflateSync(WHOLE) },
  { name: 'no encoding', encoding: 'identity', body: () => Buffer.from(WHOLE) },
]

/** Answers of REST tools that are too large in one way or another. */
export const LARGE_ANSWERS: readonly ToolRow[] = [
  bad(
    'lists 450,000 deep',
    () => '['.repeat(NEARLY_MB / 2) + ']'.repeat(NEARLY_MB / 2),
    /nested deeper than 200/,
  ),
  bad('300,000 values', () => list('1', 300_000), /more than 100000 values/),
  bad('an integer of 900,000 digits', () => `{"a":${'7'.repeat(NEARLY_MB)}}`, /more than 400 digits/),
  bad('JSON that is none at its end', () => `{"a":"${'x'.repeat(NEARLY_MB)}"`, /does not parse/),
  {
    name: 'an answer of 3 MB',
    body: () => `"${'x'.repeat(3_000_000)}"`,
    failure: { code: 'too_large', message: /larger than 1048576 bytes/ },
  },
  {
    name: '20 MB in gzip',
    encoding: 'gzip',
    body: () => SPACES,
    failure: { code: 'too_large', message: /larger than 1048576 bytes/ },
  },
  { name: '90,000 values', body: () => list('1', 90_000) },
  { name: '40,000 names', body: () => names(40_000) },
]

/** Arguments that are much. */
export const LARGE_ARGUMENTS: readonly ToolRow[] = [
  given('a text of 3.8 MB', () => 'x'.repeat(3_800_000)),
  given('a text of 3.8 MB to be escaped', () => '"\u0001'.repeat(400_000)),
  given('90,000 numbers', () => new Array(90_000).fill(1)),
  given('16,000 objects', () => new Array(16_000).fill({ b: 1, a: 2 })),
  given('40,000 names', () =>
    Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`n${index}`, 1])),
  ),
  inUrl('a text of 3.8 MB', () => 'é'.repeat(1_900_000)),
  inUrl('90,000 numbers', () => new Array(90_000).fill(1)),
]

/** Much that is given to a tool whose circuit breaker is open. */
const REFUSED_ARGUMENTS: readonly ToolRow[] = [
  ofGone('a text of 3.8 MB', () => 'x'.repeat(3_800_000)),
  ofGone('16,000 objects', () => new Array(16_000).fill({ b: 1, a: 2 })),
]

/** Whatever a REST tool may be asked and answer. */
export const TOOLS: readonly ToolRow[] = [
  ...ENCODED_ANSWERS,
  ...LARGE_ANSWERS,
  ...LARGE_ARGUMENTS,
  ...REFUSED_ARGUMENTS,
]

function refused(name: string, encoding: string | readonly string[], body: Buffer): ToolRow {
  const failure = { code: 'bad_response', message: /sent content-encoding .*, which is refused/ }
  return { name, encoding, body: () => body, failure }
}

function given(name: string, value: () => unknown): ToolRow {
  const body = () => WHOLE
  return { name: `${name} as an argument`, body, tool: 'kept', arguments: () => ({ value: value() }) }
}

function inUrl(name: string, value: () => unknown): ToolRow {
  const failure = { code: 'invalid_arguments', message: /a url takes at most 65536 characters/ }
  return { ...given(name, value), name: `${name} in a url`, tool: 'asked', failure }
}

function ofGone(name: string, value: () => unknown): ToolRow {
  const failure = { code: 'circuit_open', message: /is not called for another \d+ ms/ }
  return { ...given(name, value), name: `${name} for a tool that is not called`, tool: 'gone', failure }
}

function bad(name: string, body: () => string, message: RegExp): ToolRow {
  return { name, body, failure: { code: 'bad_response', message } }
}
