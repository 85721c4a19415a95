import type { History, StoredMessage } from '../../conversation/history.js'
import type { Message, WireToolCall } from '../../conversation/message.js'
import { readToolCalls } from '../../conversation/tool-calls.js'
import type { CallResult, EncodableCall, ToolProtocol } from '../../protocols/protocol.js'
import { safeJsonLoads } from '../../protocols/safe-json-loads.js'
import { stringifyJson } from '../../util/json.js'

/** What a model reads in place of a tool result that was left out. */
const OMITTED_RESULT = 'Tool result is omitted to save tokens.'

/** How a history is shown to a model. */
export interface ViewOptions {
  /** The system message's text; undefined when the history brings its own. */
  readonly system: string | undefined
  /** Only so many of the newest tool results are shown; -1 shows all. */
  readonly keepToolResults: number
  /** A protocol that writes calls and results as text; undefined for native ones. */
  readonly protocol: ToolProtocol | undefined
  /** The server a text protocol names with a tool. */
  readonly serverOf: (tool: string) => string | undefined
}

/** The messages to send: a copy made for one request. What is stored stays whole. */
export function toView(
  history: History,
  { system, keepToolResults, protocol, serverOf }: ViewOptions,
): readonly Message[] {
  const shown = omitOldResults(visible(history), keepToolResults)
  const messages = protocol === undefined ? shown : writeInProtocol(shown, protocol, serverOf)
  return system === undefined || system === '' ? messages : [{ role: 'system', content: system }, ...messages]
}

/** The newest summary in place of what it stands for, then everything after that. */
function visible({ messages, summaryUpTo = 0 }: History): readonly StoredMessage[] {
  if (summaryUpTo === 0) return messages
  const summary = messages.findLast(({ kind }) => kind === 'summary')
  const rest = messages.slice(summaryUpTo).filter(({ kind }) => kind !== 'summary')
  return summary === undefined ? rest : [summary, ...rest]
}

function omitOldResults(messages: readonly StoredMessage[], keep: number): readonly Message[] {
  if (keep < 0) return messages.map(({ message }) => message)
  let left = keep
  return messages
    .toReversed()
    .map(({ kind, message }) => {
      if (kind !== 'tool_result') return message
      left -= 1
      return left >= 0 ? message : { ...message, content: OMITTED_RESULT }
    })
    .reverse()
}

/** Calls become the text a model would have written, results what it would be told. */
function writeInProtocol(
  messages: readonly Message[],
  protocol: ToolProtocol,
  serverOf: (tool: string) => string | undefined,
): readonly Message[] {
  const written: Message[] = []
  const calls = new Map<string, EncodableCall>()
  let results: CallResult[] = []
  const flush = () => {
    written.push(...protocol.encodeResults(results))
    results = []
  }
  for (const message of messages) {
    if (message.role === 'tool') {
      results.push(toCallResult(message, calls))
      continue
    }
    flush()
    const own = readToolCalls(message).map((call) => [call.id, toEncodable(call, serverOf)] as const)
    for (const [id, call] of own) calls.set(id, call)
    written.push(
      own.length === 0
        ? message
        : withCallsAsText(message, protocol.encodeCalls(own.map(([, call]) => call))),
    )
  }
  flush()
  return written
}

function withCallsAsText({ content }: Message, calls: string): Message {
  const said = typeof content === 'string' ? content : ''
  return { role: 'assistant', content: said === '' ? calls : `${said}\n${calls}` }
}

function toEncodable(
  { function: { name, arguments: text } }: WireToolCall,
  serverOf: (tool: string) => string | undefined,
): EncodableCall {
  const server = serverOf(name)
  const read = safeJsonLoads(text)
  return { name, ...(server !== undefined && { server }), arguments: read.ok ? read.value : {} }
}

function toCallResult(
  { tool_call_id: id = '', content }: Message,
  calls: ReadonlyMap<string, EncodableCall>,
): CallResult {
  const { name = '', server } = calls.get(id) ?? {}
  return {
    call: { id, name, ...(server !== undefined && { server }) },
    content: typeof content === 'string' ? content : stringifyJson(content ?? ''),
  }
}
