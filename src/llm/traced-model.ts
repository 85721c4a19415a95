import { codeOf } from '../util/errors/code-of.js'
import { type JsonObject, own } from '../util/json/json.js'
import { MAX_SPAN_CONTENT } from '../util/limits.js'
import { ATTRIBUTE, OPERATION, SPAN } from '../util/telemetry/span-names.js'
import type { Span, Tracer } from '../util/telemetry/tracer.js'
import { readMessages } from './chat/read-completion.js'
import { StreamReader } from './chat/read-stream.js'
import type {
  AnsweringModel,
  CallOptions,
  CallReport,
  Completion,
  CompletionStream,
  ModelRequest,
  Usage,
} from './model.js'
import { reportOf } from './model-error.js'

/** A model whose every call, with all its attempts, is one span: until the last event, where it is a stream. */
export function createTracedModel(model: AnsweringModel, tracer: Tracer): AnsweringModel {
  function start(request: ModelRequest, options: CallOptions): { span: Span; traced: CallOptions } {
    const span = tracer.start(SPAN.chat(request.model), 'client', options.traceparent, {
      [ATTRIBUTE.operation]: OPERATION.chat,
      [ATTRIBUTE.requestModel]: request.model,
    })
    span.say(ATTRIBUTE.inputMessages, own(request, 'messages') ?? own(request, 'input'))
    return { span, traced: { ...options, traceparent: span.traceparent } }
  }

  async function complete(request: ModelRequest, options: CallOptions): Promise<Completion> {
    const { span, traced } = start(request, options)
    try {
      const completion = await model.complete(request, traced)
      describe(span, completion.report, completion.usage, completion.cost)
      span.say(ATTRIBUTE.outputMessages, outputOf(completion.body))
      span.end()
      return completion
    } catch (error) {
      throw failed(span, error)
    }
  }

  async function stream(request: ModelRequest, options: CallOptions): Promise<CompletionStream> {
    const { span, traced } = start(request, options)
    try {
      const answer = await model.stream(request, traced)
      const heard = tracer.hasContents ? new RecordedText() : undefined
      answer.ended.then((failure) => {
        describe(span, answer.report, answer.usage(), answer.cost?.())
        span.say(ATTRIBUTE.outputMessages, heard?.messages)
        span.end(failure?.code)
      })
      return heard === undefined ? answer : recordingOf(heard, answer)
    } catch (error) {
      throw failed(span, error)
    }
  }

  return { complete, stream }
}

/** What was answered: the messages of a chat completion, or the output of the other interface. */
function outputOf(body: JsonObject): unknown {
  return own(body, 'output') ?? readMessages(body)
}

function recordingOf(heard: RecordedText, answer: CompletionStream): CompletionStream {
  const { ended, report } = answer
  const events = heard.listen(answer.events)
  return { events, ended, report, usage: () => answer.usage(), cost: () => answer.cost?.() }
}

/** Understands what passes by, as far as a span holds it. */
class RecordedText {
  readonly #reader = new StreamReader()
  #text = ''

  get messages(): readonly JsonObject[] {
    return [{ role: 'assistant', content: this.#text }]
  }

  async *listen(events: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    for await (const bytes of events) {
      if (this.#text.length < MAX_SPAN_CONTENT) this.#hear(bytes)
      yield bytes
    }
  }

  #hear(bytes: Buffer): void {
    for (const event of this.#reader.push(bytes)) if (event.kind === 'text') this.#text += event.text
  }
}

function describe(span: Span, report: CallReport, usage: Usage | undefined, cost: number | undefined): void {
  span.set({
    [ATTRIBUTE.provider]: report.upstream,
    [ATTRIBUTE.responseModel]: report.model,
    [ATTRIBUTE.attempts]: report.attempts,
    [ATTRIBUTE.rescued]: report.rescued,
    [ATTRIBUTE.inputTokens]: usage?.inputTokens,
    [ATTRIBUTE.outputTokens]: usage?.outputTokens,
    [ATTRIBUTE.cost]: cost,
  })
}

function failed(span: Span, error: unknown): unknown {
  const report = reportOf(error)
  if (report !== undefined) describe(span, report, undefined, undefined)
  span.end(codeOf(error))
  return error
}
