import { EVENT_STREAM, event, failure, type RecordedRequest, type ScriptedAnswer } from '../../src/testing.js'
import type { Json } from '../support/agent-service.js'

/** What a model is to say; each make of server has its own way. */
interface Said {
  readonly thought?: string
  readonly text?: string
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: object }[]
}

/** Writes an answer as a server of one make does. */
interface Make {
  readonly whole: (said: Said) => Json
  readonly chunks: (said: Said) => readonly Json[]
  readonly done: boolean
}

const HEAD = { id: 'c', created: 1, model: 'made' }
const USAGE = {
  prompt_tokens: 20,
  completion_tokens: 8,
  total_tokens: 28,
  prompt_tokens_details: { cached_tokens: 5 },
}

/** As OpenAI and vLLM: pieces of arguments by index, the usage in a chunk of its own, `[DONE]` at the end. */
const PIECEWISE: Make = {
  done: true,
  whole: ({ thought, text, calls = [] }) => ({
    message: {
      role: 'assistant',
      content: text ?? null,
      ...(thought && { reasoning_content: thought }),
      ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
    },
    finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
  }),
  chunks: ({ thought, text = '', calls = [] }) => [
    delta({ role: 'assistant', content: '' }),
    ...(thought === undefined ? [] : [delta({ reasoning_content: thought })]),
    ...text.split(/(?<= )/).map((content) => delta({ content })),
    ...calls.flatMap(({ id, name, args }, index) => [
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...(JSON.stringify(args).match(/.{1,5}/g) ?? []).map((piece) =>
        delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    delta({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    { ...HEAD, object: 'chat.completion.chunk', choices: [], usage: USAGE },
  ],
}

/** As Ollama: whole calls without an index of their own, `stop` beside them, `reasoning`, the usage in the last chunk. */
const AT_ONCE: Make = {
  done: false,
  whole: ({ thought, text = '', calls = [] }) => ({
    message: {
      ...{ role: 'assistant', content: text },
      ...(thought && { reasoning: thought }),
      ...(calls.length > 0 && { tool_calls: calls.map((call, index) => ({ index, ...toCall(call) })) }),
    },
    finish_reason: 'stop',
  }),
  chunks: ({ thought, text = '', calls = [] }) => [
    ...(thought === undefined ? [] : [delta({ role: 'assistant', content: '', reasoning: thought })]),
    ...(text === '' ? [] : [delta({ role: 'assistant', content: text })]),
    ...calls.map((call) =>
      delta({ role: 'assistant', content: '', tool_calls: [{ index: 0, ...toCall(call) }] }),
    ),
    { ...delta({ role: 'assistant', content: '' }, 'stop'), usage: USAGE },
  ],
}

/** Models that do as they are told, by the path under which each make is reached. */
export const MAKES = { piecewise: answerAs(PIECEWISE), at_once: answerAs(AT_ONCE) } as const

function answerAs(make: Make) {
  return ({ body }: RecordedRequest): ScriptedAnswer => {
    const { messages, stream = false }: Json = body
    const results = messages.filter(({ role }: Json) => role === 'tool').map(({ content }: Json) => content)
    const asked = messages.filter(({ role }: Json) => role === 'user').at(-1).content
    if (asked === 'fail') return failure(400, 'not with me')
    const said =
      results.length > 0 ? { text: `The tools say: ${results.join(' and ')}` } : sayingTo(asked, body)
    if (!stream) {
      const answer = {
        ...HEAD,
        object: 'chat.completion',
        choices: [{ index: 0, ...make.whole(said) }],
        usage: USAGE,
      }
      return { headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(answer)] }
    }
    const events = make.chunks(said).map((chunk) => event(JSON.stringify(chunk)))
    if (asked === 'break') return { headers: EVENT_STREAM, pieces: events.slice(0, 1), ends: 'reset' }
    if (asked === 'wait') return { headers: EVENT_STREAM, pieces: events.slice(0, 2), ends: 'hang' }
    return { headers: EVENT_STREAM, pieces: make.done ? [...events, event('[DONE]')] : events }
  }
}

function sayingTo(asked: string, { reasoning_effort: effort }: Json): Said {
  const city = (name: string) => ({ id: `call_${name}`, name: 'weather', args: { city: name } })
  if (asked === 'both') return { text: 'I look.', calls: [city('Bonn'), city('Ulm')] }
  return { ...(effort !== undefined && { thought: `With ${effort} effort.` }), text: `You said: ${asked}` }
}

function toCall({ id, name, args }: NonNullable<Said['calls']>[number]): Json {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
}

function delta(fields: Json, reason: string | null = null): Json {
  return {
    ...HEAD,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: fields, finish_reason: reason }],
  }
}
