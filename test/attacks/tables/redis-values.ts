import { gzipSync } from 'node:zlib'

const TEN_MIB = 10 << 20

/** A value in Redis at a prompt's key, and what the catalog says of it. */
export interface RedisRow {
  readonly name: string
  /** A command without its key, which comes first. */
  readonly write: () => readonly [command: string, ...rest: (string | Buffer)[]]
  /** In the diagnostics of the document. */
  readonly says: RegExp
}

/** Values that are no documents. */
export const REDIS_VALUES: readonly RedisRow[] = [
  set('no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), /UTF-8/),
  set('bytes that are compressed', gzipSync('{"userPrompt":"x"}'), /UTF-8/),
  set('nothing', '', /Unexpected end/),
  set('half a document', '{"userPrompt":"x', /./),
  set('lists 500,000 deep', '['.repeat(500_000), /deep|nested|JSON|YAML/i),
  set('objects 100,000 deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, /deep|nested/i),
  set('YAML whose aliases multiply', aliases(), /Unexpected/),
  set('YAML with binary', 'userPrompt: !!binary aGVsbG8=', /Unexpected/),
  set('an integer of a million digits', `{"userPrompt":"x","parameters":${'7'.repeat(1_000_000)}}`, /./),
  set(
    'more than 10 MiB',
    JSON.stringify({ userPrompt: 'x'.repeat(TEN_MIB) }),
    /more than the limit of 10485760/,
  ),
  set('a template of 300 KB', JSON.stringify({ userPrompt: 'x'.repeat(300_000) }), /256|262144|bytes|KiB/),
  set(
    '20,000 messages',
    JSON.stringify({ messages: new Array(20_000).fill({ role: 'user', content: 'x' }) }),
    /2000/,
  ),
  set(
    'a number literal of 100 KB',
    JSON.stringify({ userPrompt: `{{0x${'a'.repeat(100_000)}}}x` }),
    /illegal number syntax/,
  ),
  set('a template that does not compile', '{"userPrompt":"{{if}}"}', /./),
  { name: 'a hash', write: () => ['hset', 'a', 'b'], says: /hash/ },
  { name: 'a list', write: () => ['rpush', 'a'], says: /list/ },
  { name: 'a stream', write: () => ['xadd', '*', 'a', 'b'], says: /stream/ },
]

function set(name: string, value: string | Buffer, says: RegExp): RedisRow {
  return { name, write: () => ['set', value], says }
}

/** Nine levels, each of nine of the one before. */
function aliases(): string {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const items = level === 0 ? 'x' : `*l${level - 1}`
    return `l${level}: &l${level} [${new Array(9).fill(items).join(', ')}]`
  })
  return levels.join('\n')
}

/** Ways in which Redis keeps the documents to itself. */
export const REFUSALS: readonly {
  readonly name: string
  /** Of the server. */
  readonly args: readonly string[]
  /** In the url. */
  readonly user: string
  readonly says: string
}[] = [
  { name: 'no password', args: ['--requirepass', 'sesam'], user: '', says: 'asks for a password' },
  {
    name: 'a wrong password',
    args: ['--requirepass', 'sesam'],
    user: ':open@',
    says: 'does not accept the user',
  },
  {
    name: 'a user without rights',
    args: '--user default off --user blind on >sesam ~other:* +@all -scan'.split(' '),
    user: 'blind:sesam@',
    says: 'may not read the documents',
  },
]
