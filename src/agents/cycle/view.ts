import type { History, StoredMessage } from '../../conversation/history.js'
import type { Message } from '../../conversation/message.js'
import type { MessageWriter } from './cycle-setup.js'

/** What a model reads in place of a tool result that was left out. */
const OMITTED_RESULT = 'Tool result is omitted to save tokens.'

/** How a history is shown to a model. */
export interface ViewOptions {
  /** The system message's text; undefined when the history brings its own. */
  readonly system: string | undefined
  /** How many of the newest tool results to show; -1 shows all. */
  readonly keepToolResults: number
  /** Has read the history; undefined for a native protocol. */
  readonly writer: MessageWriter | undefined
}

/** The messages to send: a copy made for one request. What is stored stays whole. */
export function toView(
  history: History,
  { system, keepToolResults, writer }: ViewOptions,
): readonly Message[] {
  const shown = omitOldResults(visible(history), keepToolResults)
  const messages = writer === undefined ? shown : writer.write(shown)
  return system === undefined || system === '' ? messages : [{ role: 'system', content: system }, ...messages]
}

/** The newest summary in place of what it stands for, then everything after that. */
function visible({ messages, summaryUpTo = 0 }: History): readonly StoredMessage[] {
  if (summaryUpTo === 0) return messages
  const summary = messages.findLast(({ kind }) => kind === 'summary')
  const rest = messages.slice(summaryUpTo).filter(({ kind }) => kind !== 'summary')
  return summary === undefined ? rest : [...leadingSystem(messages), summary, ...rest]
}

/** Who the model is stays said, whatever a summary stands for. */
function leadingSystem(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  const end = messages.findIndex(({ message: { role } }) => role !== 'system' && role !== 'developer')
  return messages.slice(0, end === -1 ? messages.length : end)
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
