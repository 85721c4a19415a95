import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Explanation } from '../prompts/explain.js'
import type { RenderedJson } from '../prompts/render.js'
import { isStale } from '../prompts/stale-warning.js'
import { formatMilliseconds } from '../util/milliseconds.js'
import { endTogether } from './answers-together.js'
import { toJsonText } from './json-text.js'

/**
 * Answers with a rendered prompt whose JSON is already there: assembled, never stringified, and written past
 * Fastify's reply, which costs as much as the rest of the request.
 */
export function sendRendered(
  request: FastifyRequest,
  reply: FastifyReply,
  rendered: RenderedJson,
  revision: string | undefined,
  explanation?: Explanation,
): void {
  const { kind, json, isAscii, warnings } = rendered
  const explain = explanation === undefined ? '' : `,"explain":${toJsonText(explanation)}`
  const tail = warnings.length === 0 ? `${explain}}` : `,"warnings":${toJsonText(warnings)}${explain}}`
  const text = `{"status":"success","kind":"${kind}","rendered_prompt":${json}${tail}`
  const duration = formatMilliseconds(performance.now() - request.startedAt)
  // Known ASCII has as many bytes as characters. Counting them would flatten the text, which takes longer than writing it.
  const isPlain = isAscii && tail === '}'
  const length = isPlain ? text.length : Buffer.byteLength(text)
  const headers = [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(length),
    'x-request-id',
    request.id,
    'server-timing',
    `render;dur=${duration}`,
  ]
  if (revision !== undefined) headers.push('x-prompt-revision', revision)
  if (warnings.length > 0 && isStale(warnings)) headers.push('x-prompt-stale', 'true')
  reply.hijack()
  reply.raw.writeHead(200, headers)
  endTogether(reply.raw, text, isPlain ? 'latin1' : 'utf8')
}
