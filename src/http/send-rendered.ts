import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Explanation } from '../prompts/explain.js'
import type { RenderedJson } from '../prompts/rendered-prompt.js'
import { isStale } from '../prompts/stale-warning.js'
import type { RenderWarning } from '../prompts/tool-functions.js'
import { openAiParameters } from '../schema/openai-parameters.js'
import { formatMilliseconds } from '../util/milliseconds.js'
import { toJsonText } from './json-text.js'
import { isAlias } from './legacy-api.js'
import { type AnswerHeaders, writeAnswer } from './write-answer.js'

/** Answers with a rendered prompt whose JSON is already there: assembled, never stringified. */
export function sendRendered(
  request: FastifyRequest,
  reply: FastifyReply,
  rendered: RenderedJson,
  revision: string | undefined,
  explanation?: Explanation,
): void {
  const { kind, json } = rendered
  const tail = tailOf(request, rendered, explanation)
  const text = `{"status":"success","kind":"${kind}","rendered_prompt":${json}${tail}`
  const duration = formatMilliseconds(performance.now() - request.startedAt)
  const headers: AnswerHeaders = [
    'content-type',
    'application/json; charset=utf-8',
    'server-timing',
    `render;dur=${duration}`,
  ]
  if (revision !== undefined) headers.push('x-prompt-revision', revision)
  if (rendered.warnings.length > 0 && isStale(rendered.warnings)) headers.push('x-prompt-stale', 'true')
  const length = Buffer.byteLength(text)
  // ASCII, which has as many bytes as characters, is written faster by another name.
  writeAnswer(request, reply, headers, { text, encoding: length === text.length ? 'latin1' : 'utf8', length })
}

/** What follows the rendered prompt; most often nothing. */
function tailOf(
  request: FastifyRequest,
  { kind, json, warnings }: RenderedJson,
  explanation: Explanation | undefined,
): string {
  // The Go original names the result after its kind.
  let tail = isAlias(request) ? `,"${kind}":${json}` : ''
  const ignored = openAiParameters(request.body).map(ignoredWarning)
  if (warnings.length + ignored.length > 0) tail += `,"warnings":${toJsonText([...warnings, ...ignored])}`
  if (explanation !== undefined) tail += `,"explain":${toJsonText(explanation)}`
  return `${tail}}`
}

/** Told beside the tools that failed: a chat's body may be sent here to see what it renders to. */
function ignoredWarning(name: string): RenderWarning {
  return {
    path: name,
    code: 'ignored_parameter',
    message: `\`${name}\` is for chats; a render does not use it`,
  }
}
