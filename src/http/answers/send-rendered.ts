import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Explanation } from '../../prompts/explain.js'
import type { ServedVersion } from '../../prompts/find-prompt.js'
import { isStale } from '../../prompts/prompt-notes.js'
import type { RenderedJson } from '../../prompts/rendered-prompt.js'
import type { RenderWarning } from '../../prompts/tool-functions.js'
import { openAiParameters } from '../../schema/openai-parameters.js'
import { formatMilliseconds } from '../../util/time/milliseconds.js'
import { toJsonText } from './json-text.js'
import { servedHeaders } from './served-version.js'
import { type AnswerBody, type AnswerHeaders, writeAnswer } from './write-answer.js'

/** What an answer says beside the rendered prompt. */
export interface AboutRendered {
  /** Of a registered prompt. */
  readonly revision?: string | undefined
  /** Which version of it; undefined for a head. */
  readonly served?: ServedVersion | undefined
  readonly explanation?: Explanation | undefined
  /** Whether the result is also named after its kind, as the Go original does. */
  readonly isAlias: boolean
}

/** Answers with a rendered prompt whose JSON is already there: assembled, never stringified. */
export function sendRendered(
  request: FastifyRequest,
  reply: FastifyReply,
  rendered: RenderedJson,
  about: AboutRendered,
): void {
  const { revision, served } = about
  const body = bodyOf(rendered, about, tailOf(request, rendered, about))
  const duration = formatMilliseconds(performance.now() - request.startedAt)
  const headers: AnswerHeaders = [
    'content-type',
    'application/json; charset=utf-8',
    'server-timing',
    `render;dur=${duration}`,
  ]
  if (revision !== undefined) headers.push('x-prompt-revision', revision)
  if (served !== undefined) headers.push(...servedHeaders(served))
  if (rendered.warnings.length > 0) {
    request.logFields = { ...request.logFields, warnings: rendered.warnings.length }
    if (isStale(rendered.warnings)) headers.push('x-prompt-stale', 'true')
  }
  writeAnswer(request, reply, headers, body)
}

/** The whole answer; what is known to be ASCII, which has as many bytes as characters, is written faster by another name. */
function bodyOf({ kind, json, isAscii }: RenderedJson, { isAlias }: AboutRendered, tail: string): AnswerBody {
  const head = `{"status":"success","kind":"${kind}","rendered_prompt":`
  const rest = isAlias ? `,"${kind}":${json}${tail}` : tail
  if (isAscii && tail === '}') {
    // Put together only where it is written.
    const text = head + json + rest
    return { text, encoding: 'latin1', length: text.length }
  }
  // Joined, it is one piece, whose bytes are counted at once; added up, it would be put together for that first.
  const text = [head, json, rest].join('')
  const length = Buffer.byteLength(text)
  return { text, encoding: length === text.length ? 'latin1' : 'utf8', length }
}

/** What follows the rendered prompt; most often nothing. */
function tailOf(request: FastifyRequest, { warnings }: RenderedJson, { explanation }: AboutRendered): string {
  let tail = ''
  const ignored = openAiParameters(request.body)
  if (warnings.length + ignored.length > 0)
    tail += `,"warnings":${toJsonText([...warnings, ...ignored.map(ignoredWarning)])}`
  if (explanation !== undefined) tail += `,"explain":${toJsonText(explanation)}`
  return `${tail}}`
}

/** A warning beside the failed tools: a chat's body may be sent here to see its render. */
function ignoredWarning(name: string): RenderWarning {
  return {
    path: name,
    code: 'ignored_parameter',
    message: `\`${name}\` is for chats; a render does not use it`,
  }
}
