import { discloseSecrets, type Secrets } from './secrets.js'
import { ToolFailure } from './tool-failure.js'

/** Names that the wire itself sets: a document that sets them could split or smuggle requests. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Visible characters, spaces and tabs of Latin-1: no line breaks, no NUL. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** A document's headers, ready to send, and the secrets in them. */
export interface PreparedHeaders {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
}

/**
 * Fills in secrets and refuses what must not be a header.
 *
 * @throws ToolFailure `invalid_tool`, `missing_secret`
 */
export function prepareHeaders(
  source: Readonly<Record<string, string>>,
  secrets: Secrets,
  url: URL | undefined,
): PreparedHeaders {
  const disclosed = discloseSecrets(source, secrets, url)
  const entries = Object.entries(disclosed.headers).map(([name, value]) => {
    assertHeader(name, value)
    return [name.toLowerCase(), value]
  })
  return { headers: Object.fromEntries(entries), secrets: disclosed.used }
}

function assertHeader(name: string, value: string): void {
  if (!HEADER_NAME.test(name) || RESERVED.has(name.toLowerCase())) {
    throw new ToolFailure('invalid_tool', `the header "${name}" must not be set`)
  }
  if (!HEADER_VALUE.test(value)) {
    throw new ToolFailure(
      'invalid_tool',
      `the value of the header "${name}" has characters that headers cannot hold`,
    )
  }
}
