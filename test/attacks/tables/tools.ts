import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { list, names } from './json-texts.js'

/** What a tool answers with, and what becomes of the call. */
export interface ToolRow {
  readonly name: string
  /** Of the content; several are several headers. */
  readonly encoding?: string | readonly string[]
  readonly body: () => string | Buffer
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

/** Whatever a REST tool may answer. */
export const TOOLS: readonly ToolRow[] = [...ENCODED_ANSWERS, ...LARGE_ANSWERS]

function refused(name: string, encoding: string | readonly string[], body: Buffer): ToolRow {
  const failure = { code: 'bad_response', message: /sent content-encoding .*, which is refused/ }
  return { name, encoding, body: () => body, failure }
}

function bad(name: string, body: () => string, message: RegExp): ToolRow {
  return { name, body, failure: { code: 'bad_response', message } }
}
