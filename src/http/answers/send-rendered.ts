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
import { type AnswerHeaders, LONG_ANSWER, writeAnswer, writeTexts } from './write-answer.js'

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

/**
 * Answers with a rendered prompt whose JSON is already there: assembled, never stringified.
 *
 * @returns a promise for a long one, which is written between other work
 */
export function sendRendered(
  request: FastifyRequest,
  reply: FastifyReply,
  rendered: RenderedJson,
  about: AboutRendered,
): Promise<void> | undefined {
  const { revision, served } = about
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
  return write(request, reply, headers, rendered, about)
}

function write(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: AnswerHeaders,
  rendered: RenderedJson,
  about: AboutRendered,
): Promise<void> | undefined {
  const { kind, json, isAscii } = rendered
  const head = `{"status":"success","kind":"${kind}","rendered_prompt":`
  const tail = tailOf(request, rendered, about)
  if (!isAscii || tail !== '}' || json.length > LONG_ANSWER)
    return writeTexts(request, reply, headers, [head, json, ...aliasOf(rendered, about), tail])
  // What is known to be ASCII is put together only where it is written.
  const text = head + json + aliasOf(rendered, about).join('') + tail
  writeAnswer(request, reply, headers, { text, encoding: 'latin1', length: text.length })
  return undefined
}

/** The same once more, named after its kind. */
function aliasOf({ kind, json }: RenderedJson, { isAlias }: AboutRendered): readonly string[] {
  return isAlias ? [`,"${kind}":`, json] : []
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
