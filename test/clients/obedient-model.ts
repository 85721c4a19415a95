import { completion, type RecordedRequest, type ScriptedAnswer, stream } from '../../src/testing.js'
import { calling, type Json, streamCalling } from '../support/agent-service.js'

/** What `response_format` is answered with. */
const PLAN = JSON.stringify({ city: 'Bonn', days: 2 })

/**
 * A model that does as it is told: `use sum {"a":2}` calls the tool with `sum` in its name, the result of a tool is
 * repeated, and so is anything else.
 */
export function obey({ body }: RecordedRequest): ScriptedAnswer {
  const { messages, tools = [], stream: isStreamed = false, response_format: format }: Json = body
  const last = messages.at(-1)
  const text = textOf(last.content)
  const [, wanted, args] = /^use (\w+) (\{.*\})$/.exec(text) ?? []
  const tool = tools.find((each: Json) => wanted !== undefined && each.function.name.includes(wanted))
  if (last.role === 'user' && tool !== undefined && args !== undefined) {
    const call = isStreamed ? streamCalling : calling
    return call(tool.function.name, JSON.parse(args))
  }
  return say(
    last.role === 'tool' ? `The tool says: ${text}` : format ? PLAN : `You said: ${text}`,
    isStreamed,
  )
}

function say(text: string, isStreamed: boolean): ScriptedAnswer {
  return isStreamed ? withUsage(stream(text.split(/(?<= )/))) : completion(text)
}

/** The usage that streams end with where it is asked for. */
function withUsage(answer: ScriptedAnswer): ScriptedAnswer {
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
  const chunk = {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [],
    usage,
  }
  const pieces = [...(answer.pieces ?? [])]
  return {
    ...answer,
    pieces: [...pieces.slice(0, -1), `data: ${JSON.stringify(chunk)}\n\n`, ...pieces.slice(-1)],
  }
}

function textOf(content: Json): string {
  return typeof content === 'string' ? content : content.map(({ text }: Json) => text ?? '').join('')
}
