import { ServiceError } from '../../errors.js'
import { toEvent } from '../../transport/sse-writer.js'
import { type JsonObject, stringifyJson } from '../../util/json/json.js'
import type { CallReport, CompletionStream, Usage } from '../model.js'

/** What is known of a streamed answer that is not a provider's own. */
export interface ChunkStreamFacts {
  readonly report: CallReport
  usage(): Usage | undefined
  cost?(): number | undefined
}

/**
 * A streamed answer made of chunks. Resolves when the first one is there, so that a failure before it can still be an
 * HTTP status; leaving the stream early ends the source.
 *
 * @param factsOf asked when the first chunk is there
 * @throws ServiceError as the source does before its first chunk
 */
export async function openChunkStream(
  chunks: AsyncGenerator<JsonObject, void>,
  factsOf: () => ChunkStreamFacts,
): Promise<CompletionStream> {
  const first = await chunks.next()
  let settle: (failure: ServiceError | undefined) => void = () => {}
  const ended = new Promise<ServiceError | undefined>((resolve) => {
    settle = resolve
  })
  const { report, ...facts } = factsOf()
  return { ...facts, report, ended, events: eventsOf(first, chunks, settle) }
}

async function* eventsOf(
  first: IteratorResult<JsonObject, void>,
  chunks: AsyncGenerator<JsonObject, void>,
  settle: (failure: ServiceError | undefined) => void,
): AsyncGenerator<Buffer, void> {
  let failure: ServiceError | undefined = new ServiceError('client_closed_request', 'The reader left early')
  try {
    for (let next = first; next.done !== true; next = await chunks.next()) yield eventOf(next.value)
    failure = undefined
  } catch (error) {
    failure = error instanceof ServiceError ? error : new ServiceError('internal_error', String(error))
    throw error
  } finally {
    await chunks.return()
    settle(failure)
  }
}

function eventOf(chunk: JsonObject): Buffer {
  return toEvent(stringifyJson(chunk))
}
