import { UpstreamError } from '../transport/upstream-error.js'
import type { Clock } from '../util/time/clock.js'
import type { ModelRequest } from './model.js'
import { createReplyUpstream, messagesOf, type Reply, textOf } from './reply-upstream.js'
import type { Upstream } from './upstream.js'

/** The name of the built-in model. `echo:…` is the same with directives. */
export const ECHO = 'echo'

const LONGEST_DELAY_MS = 600_000

/**
 * The built-in offline model: answers with the text of the last user message, streams it word by word, and counts one
 * token per word; answers in its own name, whatever model was asked for. Directives in the model's name let a client's failure handling be tried without a provider:
 * `echo:delay=200` (ms before the answer), `pace=50` (ms between streamed words), `fail=503` or `fail=network`,
 * `drop=3` (the connection breaks after three words); several are separated by commas.
 */
export function createEchoUpstream(clock: Clock): Upstream {
  return createReplyUpstream(ECHO, replyTo, clock)
}

/** Whether a model name means the echo model. */
export function isEcho(model: string): boolean {
  return model === ECHO || model.startsWith(`${ECHO}:`)
}

function replyTo(request: ModelRequest): Reply {
  // Without an upstream it answers for models of other names, too, and says that it was not them.
  const model = isEcho(request.model) ? request.model : ECHO
  return { text: lastUserText(request), model, ...directivesOf(request.model) }
}

function lastUserText(request: ModelRequest): string {
  const messages = messagesOf(request)
  const message = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1)
  return message === undefined ? '' : textOf(message)
}

function directivesOf(model: string): Reply {
  if (!model.startsWith(`${ECHO}:`)) return {}
  const directives = model.slice(ECHO.length + 1).split(',')
  return Object.assign({}, ...directives.map(directiveOf))
}

function directiveOf(text: string): Reply {
  const [name, value = ''] = text.split('=')
  const number = /^\d{1,6}$/.test(value) ? Number(value) : undefined
  if (name === 'fail' && value === 'network') return { fail: 'network' }
  if (name === 'fail' && number !== undefined && number >= 400 && number < 600) return { fail: number }
  if (name === 'delay' && number !== undefined) return { delayMs: Math.min(number, LONGEST_DELAY_MS) }
  if (name === 'pace' && number !== undefined) return { paceMs: Math.min(number, LONGEST_DELAY_MS) }
  if (name === 'drop' && number !== undefined) return { dropAfter: number }
  const message = `The echo model does not know "${text}"; it knows delay=ms, pace=ms, fail=status|network, drop=words`
  throw new UpstreamError('status', message, {
    status: 400,
    detail: { message, detail: { message, param: 'model' } },
  })
}
