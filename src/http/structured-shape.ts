import { StreamCollector } from '../llm/chat/collect-stream.js'
import { StreamReader } from '../llm/chat/read-stream.js'
import type { Completion, Usage } from '../llm/model.js'
import type { StructuredOutput } from '../prompts/chat.js'
import { badAnswer, findViolations } from '../prompts/structured-output.js'
import { toEvent } from '../transport/sse-writer.js'
import type { AnswerShape, StreamShape } from './answer-model.js'
import { toJsonText } from './json-text.js'

const DONE = Buffer.from('data: [DONE]\n\n')

/**
 * Passes answers on only when they fit the prompt's schema. Of a stream that shows at its end: it is then closed with
 * an error event in place of `[DONE]`.
 */
export function structuredShape({ check }: StructuredOutput): AnswerShape {
  return {
    whole(completion: Completion) {
      const violations = findViolations(completion.body, check)
      if (violations.length > 0) throw badAnswer(violations, completion.report.attempts)
      return completion.bytes
    },
    stream: () => structuredStream(check),
  }
}

function structuredStream(check: StructuredOutput['check']): StreamShape {
  const reader = new StreamReader()
  const collector = new StreamCollector()
  return {
    events(events) {
      for (const event of reader.push(events)) collector.add(event)
      return events
    },
    end(_usage: Usage | undefined) {
      const { text, toolCalls, refusal } = collector.completion()
      const isOther = text === '' && (toolCalls.length > 0 || refusal !== undefined)
      const violations = isOther ? [] : check(text)
      if (violations.length > 0) throw badAnswer(violations, 1)
      return DONE
    },
    error: (body) => toEvent(toJsonText(body), 'error'),
  }
}
