import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PageFile } from './page-files.js'

/**
 * What the page may do: run its own scripts and styles, ask this service, and nothing else. Texts never become markup:
 * what parses HTML takes only trusted types, and there is no policy that makes one.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** What every page of the service says to the browser, in addition to its policy. */
export const PAGE_HEADERS = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Names with a hash of what is in them. */
const HASHED = /-[a-z0-9]{8}\.\w+$/
const FOREVER = 'public, max-age=31536000, immutable'

/** Answers with a file of the page: compressed where that is understood, and not again where it is known. */
export async function sendPageFile(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  file: PageFile,
): Promise<FastifyReply> {
  const { 'accept-encoding': encodings = '', 'if-none-match': known } = request.headers
  reply
    .headers(PAGE_HEADERS)
    .header('content-security-policy', policyOf(file))
    .header('etag', file.etag)
    .header('vary', 'accept, accept-encoding')
  reply.header('cache-control', HASHED.test(name) ? FOREVER : 'no-cache')
  if (known === file.etag) return reply.code(304).send()
  reply.type(file.type)
  const takes = (coding: string) => isTaken(String(encodings), coding)
  if (takes('br')) return reply.header('content-encoding', 'br').send(file.brotli)
  if (takes('gzip')) return reply.header('content-encoding', 'gzip').send(await file.gzipped())
  return reply.send(file.body)
}

/** Whether a list such as `gzip, br;q=0.5` has a coding; `q=0` says no to it. */
function isTaken(encodings: string, coding: string): boolean {
  return encodings.split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

function policyOf({ styleHashes }: PageFile): string {
  return PAGE_POLICY.replace("style-src 'self'", ["style-src 'self'", ...styleHashes].join(' '))
}
