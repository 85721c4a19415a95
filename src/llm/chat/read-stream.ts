import { ServiceError } from '../../errors.js'
import { payloadsOf, SseSplitter } from '../../transport/sse-splitter.js'
import { boundEvent } from '../../util/json/foreign-json.js'
import { isJsonObject, type JsonValue, parseJson } from '../../util/json/json.js'
import { TextSlicer } from '../../util/slices/text-slicer.js'
import { MAX_EVENT_BYTES } from '../limits.js'
import { errorOf } from '../read-answer.js'
import { ChunkReader } from './chunk-reader.js'
import type { StreamEvent } from './stream-event.js'

/** How an event begins that says that the stream has failed. */
const ERROR_LINE = Buffer.from('event: error')

/**
 * Understands the bytes of a streamed chat completion, however the network cut them: a `CompletionStream`'s events or
 * a provider's body. Ends after `[DONE]`, the end of the bytes, or an `error` event. Leaving the loop early ends the
 * source. Others are let in while much comes at once, whatever it says and whatever is done with it.
 */
export async function* readStream(bytes: AsyncIterable<Buffer>): AsyncGenerator<StreamEvent, void> {
  const reader = new StreamReader()
  const slicer = new TextSlicer()
  try {
    for await (const piece of bytes) {
      const events = reader.push(piece)
      for (const event of events) {
        yield event
        if (event.kind === 'error') return
        const turn = slicer.turn(piece.length / events.length)
        if (turn !== undefined) await turn
      }
      if (reader.isDone) return
    }
    yield* reader.end()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    yield { kind: 'error', error }
  }
}

/** Reads the bytes of one stream piece by piece, for callers that also relay the bytes. */
export class StreamReader {
  readonly #chunks = new ChunkReader()
  readonly #splitter = new SseSplitter(
    { onEvents: (events) => this.#take(events), onDone: () => this.#finish() },
    MAX_EVENT_BYTES,
  )
  #events: StreamEvent[] = []
  #isDone = false

  /** True after `[DONE]` or an error: what follows says nothing. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** What these bytes say as far as they are whole; after an `error` event nothing more. */
  push(bytes: Buffer): readonly StreamEvent[] {
    try {
      if (!this.#isDone) this.#splitter.push(bytes)
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause
      this.#fail(badStream(cause.message, cause))
    }
    return this.#drain()
  }

  /** What a last event without its blank line says, as sloppy servers end. */
  end(): readonly StreamEvent[] {
    if (!this.#isDone) this.#splitter.end()
    return this.#drain()
  }

  #take(events: Buffer): void {
    const isError = events[0] === ERROR_LINE[0] && events.subarray(0, ERROR_LINE.length).equals(ERROR_LINE)
    for (const payload of payloadsOf(events)) {
      if (this.#isDone) return
      this.#takePayload(payload, isError)
    }
  }

  #takePayload(payload: string, isError: boolean): void {
    const chunk = parseChunk(payload)
    const failure = isJsonObject(chunk) ? errorOf(chunk, isError) : undefined
    if (!isJsonObject(chunk)) this.#fail(badStream("The model's stream holds an event that is not JSON"))
    else if (failure !== undefined) this.#fail(brokenStream(failure.message))
    else for (const event of this.#chunks.read(chunk)) this.#events.push(event)
  }

  #fail(error: ServiceError): void {
    this.#finish()
    this.#events.push({ kind: 'error', error })
  }

  #finish(): void {
    this.#isDone = true
  }

  #drain(): readonly StreamEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }
}

function parseChunk(payload: string): JsonValue | undefined {
  try {
    return parseJson(boundEvent(payload))
  } catch {
    return undefined
  }
}

function badStream(message: string, cause?: unknown): ServiceError {
  return new ServiceError('llm_bad_response', message, { cause })
}

function brokenStream(message: string): ServiceError {
  return new ServiceError('llm_unavailable', `The model broke off: ${message}`)
}
