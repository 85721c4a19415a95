import { isRecoverable } from '../agents/is-recoverable.js'
import type { CallOptions, CallReport, CompletionStream, Usage } from '../llm/model.js'
import type { EmitEvent } from '../llm/responses/response-events.js'
import type { JsonObject } from '../util/json/json.js'
import { listField } from '../util/json/json-fields.js'
import type { EventPump } from './event-pump.js'
import type { AnswerWriter, ModelPlan } from './response-plan.js'

/** What is known of a model's answer beside its words. */
export interface AnswerFacts {
  readonly report?: CallReport | undefined
  readonly usage?: Usage | undefined
  readonly cost?: number | undefined
}

/** One question to a model. */
export interface Question {
  readonly plan: ModelPlan
  readonly isStream: boolean
  readonly call: CallOptions
  readonly pump: EventPump
  /** A writer for an answer from its beginning. */
  readonly createWriter: () => AnswerWriter
  /** Called as soon as the facts are known: an answer may fail after them. */
  readonly onFacts: (facts: AnswerFacts) => void
}

/** How often a model is asked whose streams break off before anything was shown. */
const MAX_ASKS = 3

/** Asks a model. @returns its response, whose last event the caller emits @throws ServiceError */
export function askForResponse(question: Question): Promise<JsonObject> {
  return question.isStream ? streamed(question) : whole(question)
}

async function streamed(question: Question): Promise<JsonObject> {
  const { plan, call, pump } = question
  for (let asked = 1; ; asked += 1) {
    const writer = question.createWriter()
    const stream = await plan.model.stream(plan.request, call)
    try {
      return await read(stream, writer, question)
    } catch (error) {
      const isFinal = asked === MAX_ASKS || pump.hasShown || call.signal.aborted
      if (isFinal || !isRecoverable(error)) throw error
    }
  }
}

async function read(
  stream: CompletionStream,
  writer: AnswerWriter,
  { pump, onFacts }: Question,
): Promise<JsonObject> {
  const { events, report } = stream
  try {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      writer.push(next.value)
      const room = pump.room()
      if (room !== undefined) await room
    }
    const usage = stream.usage()
    onFacts({ report, usage, cost: stream.cost?.() })
    return writer.finish(usage)
  } finally {
    await events.return?.()
  }
}

async function whole({ plan, call, pump, createWriter, onFacts }: Question): Promise<JsonObject> {
  const completion = await plan.model.complete(plan.request, call)
  const { report, usage, cost } = completion
  onFacts({ report, usage, cost })
  const writer = createWriter()
  const response = writer.whole(completion)
  pump.hold()
  writer.start()
  emitItems(response, pump.emit)
  return response
}

/** The events of a response whose items came whole. */
function emitItems(response: JsonObject, emit: EmitEvent): void {
  listField(response, 'output').forEach((item, output_index) => {
    emit('response.output_item.added', { output_index, item })
    emit('response.output_item.done', { output_index, item })
  })
}
