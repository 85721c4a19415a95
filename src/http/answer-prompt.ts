import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Completion, Model, Usage } from '../llm/model.js'
import type { PreparedChat, StructuredOutput } from '../prompts/chat.js'
import { isStale } from '../prompts/stale-warning.js'
import { findViolations, repairMessages } from '../prompts/structured-output.js'
import type { AnswerShape, ModelAnswers, ModelCall } from './answer-model.js'
import { structuredShape } from './structured-shape.js'

/** Answers with what the model says to a prompt. */
export interface PromptAnswers {
  answer(
    prepared: PreparedChat,
    facts: Pick<ModelCall, 'revision' | 'logFields'>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void>
}

const AS_IT_IS: AnswerShape = {}

/** Adds structured output, with its one repair, to plain model answers. */
export function createPromptAnswers(model: Model, answers: ModelAnswers): PromptAnswers {
  /** Asks, and asks once more with the violations when the answer does not fit. */
  async function completeWithRepair(
    { request: chatRequest }: PreparedChat,
    { check }: StructuredOutput,
    request: FastifyRequest,
  ): Promise<Completion> {
    const options = answers.optionsFor(request)
    const first = await model.complete(chatRequest, options)
    const violations = findViolations(first.body, check)
    if (violations.length === 0) return first
    const messages = [...chatRequest.messages, ...repairMessages(first.body, violations)]
    const second = await model.complete({ ...chatRequest, messages }, options)
    return sumOf(first, second)
  }

  return {
    answer(prepared, facts, request, reply) {
      const { structured, stream, warnings } = prepared
      const logFields =
        warnings.length === 0 ? facts.logFields : { ...facts.logFields, warnings: warnings.length }
      const isRepairable = structured?.repair === true
      const call: ModelCall = {
        request: prepared.request,
        revision: facts.revision,
        isStale: warnings.length > 0 && isStale(warnings),
        logFields,
        complete: isRepairable ? () => completeWithRepair(prepared, structured, request) : undefined,
      }
      const shape = structured === undefined ? AS_IT_IS : structuredShape(structured)
      return stream
        ? answers.stream(call, shape, request, reply)
        : answers.complete(call, shape, request, reply)
    },
  }
}

/** The second answer; attempts, time and tokens of both. */
function sumOf(first: Completion, second: Completion): Completion {
  const report = {
    ...second.report,
    attempts: first.report.attempts + second.report.attempts,
    upstreamMs: first.report.upstreamMs + second.report.upstreamMs,
  }
  return {
    bytes: second.bytes,
    usage: addUsage(first.usage, second.usage),
    report,
    get body() {
      return second.body
    },
  }
}

function addUsage(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
  }
}
