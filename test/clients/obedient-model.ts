import { completion, type RecordedRequest, type ScriptedAnswer, stream } from '../../src/testing.js'
import { calling, type Json, streamCalling } from '../support/agent-service.js'

/** What `response_format` is answered with. */
const PLAN = JSON.stringify({ city: 'Bonn', days: 2 })

/**
 * A model that does as it is told: `use sum {"a":2}` calls the tool with `sum` in its name, as text where it was told
 * so, the result of a tool is repeated, and so is anything else.
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
  if (wanted !== undefined && args !== undefined && messages[0].role === 'system') {
    const written = writeCall(messages[0].content, wanted, args)
    if (written !== undefined) return say(`Well. ${written}`, isStreamed)
  }
  return say(
    last.role === 'tool' ? `The tool says: ${text}` : format ? PLAN : `You said: ${text}`,
    isStreamed,
  )
}

/** A call in the form that the instructions name; undefined without any. */
function writeCall(instructions: string, name: string, args: string): string | undefined {
  if (instructions.includes('<tool_call>'))
    return `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`
  if (!instructions.includes('<use_mcp_tool>')) return undefined
  const [server, tool] = ['default', name]
  return `<use_mcp_tool>\n<server_name>${server}</server_name>\n<tool_name>${tool}</tool_name>\n<arguments>${args}</arguments>\n</use_mcp_tool>`
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
