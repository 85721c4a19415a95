const HOST = 'Host: localhost\r\n'
const BODY = '{"prompt":{"userPrompt":"hello"}}'

/** The head of a request with a body, without the blank line. */
export const POST_HEAD = `POST /api/render HTTP/1.1\r\n${HOST}content-type: application/json\r\n`
/** The line that every request of HTTP/1.1 needs. */
export const HOST_LINE = HOST

/** Bytes that are no whole request, or one that never ends. */
export interface SocketRow {
  readonly name: string
  readonly bytes: string
  /** What comes back before anything else happens. */
  readonly before: string
}

/** What may be open when the service is asked to end. */
export const WITHOUT_A_REQUEST: readonly SocketRow[] = [
  { name: 'a silent connection', bytes: '', before: '' },
  { name: 'half a start line', bytes: 'GET /heal', before: '' },
  { name: 'half a head', bytes: `GET /healthz HTTP/1.1\r\n${HOST}x-a: b`, before: '' },
  {
    name: 'a head without its body',
    bytes: `${POST_HEAD}content-length: ${BODY.length}\r\n\r\n`,
    before: '',
  },
  { name: 'half a body', bytes: `${POST_HEAD}content-length: ${BODY.length}\r\n\r\n{"prompt"`, before: '' },
  {
    name: 'half of a chunked body',
    bytes: `${POST_HEAD}transfer-encoding: chunked\r\n\r\n5\r\n{"pro\r\n`,
    before: '',
  },
  { name: 'an idle one after an answer', bytes: `GET /healthz HTTP/1.1\r\n${HOST}\r\n`, before: '"ok"' },
  {
    name: 'half a request after an answer',
    bytes: `GET /healthz HTTP/1.1\r\n${HOST}\r\nGET /he`,
    before: '"ok"',
  },
  { name: 'an endless stream', bytes: `GET /api/events HTTP/1.1\r\n${HOST}\r\n`, before: 'event: hello' },
]

/** Requests after which the connection ends, and what comes back. */
export const HEADS: readonly { readonly name: string; readonly bytes: string; readonly expected: RegExp }[] =
  [
    {
      name: 'two different hosts',
      bytes: `GET /healthz HTTP/1.1\r\n${HOST}host: y\r\nconnection: close\r\n\r\n`,
      expected: /^HTTP\/1\.1 400 .*"invalid_request"/s,
    },
    {
      name: 'the same host twice',
      bytes: `GET /healthz HTTP/1.1\r\n${HOST}${HOST}connection: close\r\n\r\n`,
      expected: /^HTTP\/1\.1 400 /,
    },
    {
      name: 'no host',
      bytes: 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n',
      expected: /^HTTP\/1\.1 400 /,
    },
    {
      name: 'HEAD of an endless stream',
      bytes: `HEAD /api/events HTTP/1.1\r\n${HOST}connection: close\r\n\r\n`,
      expected: /^HTTP\/1\.1 200 .*content-type: text\/event-stream.*\r\n\r\n$/s,
    },
    {
      name: 'heads of 100 KB',
      bytes: `GET /healthz HTTP/1.1\r\n${HOST}x-a: ${'a'.repeat(100_000)}\r\n\r\n`,
      expected: /^HTTP\/1\.1 431 /,
    },
    { name: 'no HTTP at all', bytes: `\u0016\u0003\u0001${'x'.repeat(1_000)}`, expected: /^HTTP\/1\.1 400 / },
    {
      name: 'two lengths of one body',
      bytes: `${POST_HEAD}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`,
      expected: /^HTTP\/1\.1 400 /,
    },
    {
      name: 'a length and chunks',
      bytes: `${POST_HEAD}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      expected: /^HTTP\/1\.1 400 /,
    },
    {
      name: 'a chunk whose length is none',
      bytes: `${POST_HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n`,
      expected: /^HTTP\/1\.1 400 /,
    },
    {
      name: 'half a megabyte of requests that do not wait for answers',
      bytes: `GET /healthz HTTP/1.1\r\n${HOST}\r\n`.repeat(12_000),
      expected: /^(?:HTTP\/1\.1 200 |$)/,
    },
    {
      name: 'a body of 300,000 chunks of a byte',
      bytes: `${POST_HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(300_000)}0\r\n\r\n`,
      expected: /^HTTP\/1\.1 400 .*"The body comes in very many chunks of less than 16 bytes/s,
    },
    {
      name: 'a body of 100,000 chunks of 16 bytes',
      bytes: `${POST_HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n${`10\r\n${'x'.repeat(16)}\r\n`.repeat(100_000)}0\r\n\r\n`,
      expected: /^HTTP\/1\.1 400 .*"invalid_json"/s,
    },
    {
      name: 'a body that says it has 5 MB',
      bytes: `${POST_HEAD}connection: close\r\ncontent-length: 5000000\r\n\r\n{`,
      expected: /^HTTP\/1\.1 413 /,
    },
  ]

/** Requests that never become whole. */
export const SLOW_HEADS: readonly { readonly name: string; readonly bytes: string }[] = [
  { name: 'no byte of it', bytes: '' },
  { name: 'half of it', bytes: 'GET /healthz HT' },
  { name: 'without its body', bytes: `${POST_HEAD}content-length: 10\r\n\r\n{` },
]
