import { brotliCompressSync, gzipSync } from 'node:zlib'
import { chunk, completion, EVENT_STREAM, event, failure, type ScriptedAnswer } from '../../../src/testing.js'
import { names } from './json-texts.js'

/** How a model's server answers. */
export interface UpstreamRow {
  readonly name: string
  readonly fault: ScriptedAnswer
}

/** A row whose answers are large: whether they are streamed, and what the client gets. */
export interface LargeUpstreamRow {
  readonly name: string
  readonly isStream: boolean
  readonly fault: () => ScriptedAnswer
  readonly status: number
  /** Somewhere in the answer. */
  readonly says: RegExp
}

/** What the upstream is sent and may tell nobody. */
export const KEY = 'sk-live-0123456789abcdef'
/** Another secret of the same request. */
export const ACCOUNT = 'account-token-9876543210'
/** The key as some servers escape it. */
export const ESCAPED = KEY.replaceAll('-', '\\u002d')
/** How an upstream repeats them. */
export const QUOTED = `you sent Bearer ${KEY} and ${ACCOUNT}`

/** An error in the middle of a stream. */
function broken(...pieces: string[]): ScriptedAnswer {
  return { headers: EVENT_STREAM, pieces: [event(chunk('a')), ...pieces] }
}

/** Failures in which an upstream repeats what it was sent. */
export const ECHOES: readonly UpstreamRow[] = [
  ...[400, 401, 402, 403, 404, 407, 408, 409, 413, 415, 422, 429, 500, 502, 503, 504, 529].map((status) => ({
    name: `${status}`,
    fault: failure(status, QUOTED),
  })),
  { name: '400, escaped', fault: { status: 400, pieces: [`{"error":{"message":"${ESCAPED}"}}`] } },
  { name: '400 as a bare text', fault: { status: 400, pieces: [JSON.stringify({ error: QUOTED })] } },
  {
    name: '400 of FastAPI',
    fault: { status: 400, pieces: [JSON.stringify({ detail: [{ [KEY]: QUOTED }] })] },
  },
  { name: '422 in a name', fault: { status: 422, pieces: [JSON.stringify({ error: { [QUOTED]: KEY } })] } },
  { name: '200 with an error', fault: failure(200, QUOTED) },
  {
    name: 'a long 200 with an error',
    fault: { pieces: [JSON.stringify({ error: { message: QUOTED }, padding: 'x'.repeat(100_000) })] },
  },
  { name: '200 that is no JSON', fault: { pieces: [KEY] } },
  { name: 'a long 200 that is no JSON', fault: { pieces: [KEY.repeat(10_000)] } },
  { name: '200 without choices', fault: completion('', { choices: [], [KEY]: ACCOUNT }) },
  { name: 'an error event', fault: broken(event(JSON.stringify({ error: { message: QUOTED } }))) },
  {
    name: 'a named error event',
    fault: broken(`event: error\ndata: ${JSON.stringify({ message: QUOTED })}\n\n`),
  },
  { name: 'an event that is no JSON', fault: broken(event(QUOTED)) },
]

const whole = completion('hi').pieces?.[0] as string

/** Answers in encodings that nobody asked for, and what the client gets to know of it. */
export const ENCODED: readonly { readonly name: string; readonly encoding: string; readonly body: Buffer }[] =
  [
    { name: 'Brotli', encoding: 'br', body: brotliCompressSync(whole) },
    { name: 'Brotli that is none', encoding: 'BR', body: Buffer.from(whole) },
    { name: 'Brotli in gzip', encoding: 'br, gzip', body: gzipSync(brotliCompressSync(whole)) },
    { name: 'Zstandard', encoding: 'zstd', body: Buffer.from(whole) },
  ]

const MEGABYTE = 1 << 20

/** Answers without a measure. */
export const LARGE: readonly LargeUpstreamRow[] = [
  {
    name: 'lists 500,000 deep',
    isStream: false,
    fault: () => ({ pieces: ['['.repeat(MEGABYTE / 2), ']'.repeat(MEGABYTE / 2)] }),
    status: 502,
    says: /nested deeper than 200|llm_unavailable/,
  },
  {
    name: 'two million values',
    isStream: false,
    fault: () => ({ pieces: [`{"choices":[${'1,'.repeat(2_000_000)}1]}`] }),
    status: 502,
    says: /llm_unavailable/,
  },
  {
    name: 'a completion with 900,000 values',
    isStream: false,
    fault: () => completion('hi', { logprobs: new Array(300_000).fill({ a: 1 }) }),
    status: 200,
    says: /"hi"/,
  },
  {
    name: 'a completion with 200,000 names',
    isStream: false,
    fault: () => completion('hi', { logprobs: JSON.parse(names(200_000)) }),
    status: 200,
    says: /"hi"/,
  },
  {
    name: '34 MB of text',
    isStream: false,
    fault: () => completion('x'.repeat(34 * MEGABYTE)),
    status: 502,
    says: /llm_unavailable/,
  },
  {
    name: 'a completion of 8 MB',
    isStream: false,
    fault: () => completion('x'.repeat(8 * MEGABYTE)),
    status: 200,
    says: /xxxx/,
  },
  {
    name: 'a stream of 20,000 events',
    isStream: true,
    fault: () => ({ headers: EVENT_STREAM, pieces: [event(chunk('word')).repeat(20_000), event('[DONE]')] }),
    status: 200,
    says: /\[DONE\]/,
  },
  {
    name: 'an event without an end',
    isStream: true,
    fault: () => ({
      headers: EVENT_STREAM,
      pieces: [event(chunk('a')), 'data: ', ...new Array<string>(40).fill('x'.repeat(MEGABYTE))],
    }),
    status: 200,
    says: /event: error|"error"/,
  },
  {
    name: 'an event that is nested 500,000 deep',
    isStream: true,
    fault: () => ({ headers: EVENT_STREAM, pieces: [event(chunk('a')), event('['.repeat(MEGABYTE / 2))] }),
    status: 200,
    says: /"error"/,
  },
  {
    name: 'an event of a million values',
    isStream: true,
    fault: () => ({
      headers: EVENT_STREAM,
      pieces: [event(chunk('a')), event(`{"choices":[${'1,'.repeat(1_000_000)}1]}`), event('[DONE]')],
    }),
    status: 200,
    says: /"error"|\[DONE\]/,
  },
]
