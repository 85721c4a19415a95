import type { Completion, Usage } from '../llm/model.js'
import type { StructuredOutput } from '../prompts/chat.js'
import { badAnswer, findViolations } from '../prompts/structured-output.js'
import { toEvent } from '../transport/sse-writer.js'
import { isJsonObject, type JsonObject, own } from '../util/json.js'
import type { AnswerShape, StreamShape } from './answer-model.js'
import { chunksOf } from './chunks-of.js'
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
  let text = ''
  let isOther = false
  return {
    events(events) {
      for (const delta of deltasOf(events)) {
        const content = own(delta, 'content')
        if (typeof content === 'string') text += content
        else if (own(delta, 'tool_calls') !== undefined || own(delta, 'refusal') !== undefined) isOther = true
      }
      return events
    },
    end(_usage: Usage | undefined) {
      const violations = isOther && text === '' ? [] : check(text)
      if (violations.length > 0) throw badAnswer(violations, 1)
      return DONE
    },
    error: (body) => toEvent(toJsonText(body), 'error'),
  }
}

function deltasOf(events: Buffer): readonly JsonObject[] {
  return chunksOf(events).flatMap((chunk) => {
    const choices = own(chunk, 'choices')
    const [choice] = Array.isArray(choices) ? choices : []
    const delta = isJsonObject(choice) ? own(choice, 'delta') : undefined
    return isJsonObject(delta) ? [delta] : []
  })
}
