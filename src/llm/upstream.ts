import type { Batches } from '../transport/batch-queue.js'
import type { CallOptions, Completion, ModelRequest, Usage } from './model.js'

/** What one attempt brings back; the report is added by the code that counts the attempts. */
export interface Answer extends Pick<Completion, 'bytes' | 'ascii' | 'body' | 'usage'> {
  /** The family whose calls were read where the upstream had not. */
  readonly rescued?: string
}

export interface AnswerStream {
  readonly events: Batches
  usage(): Usage | undefined
  /** The family whose calls were read where the upstream had not, known after the end; only where they are looked for. */
  rescued?(): string | undefined
}

/**
 * One place that answers chat requests, one attempt at a time: no retry, no queue, no routing. Those are the same for
 * all upstreams and are put around them by `ResilientModel`.
 *
 * @throws UpstreamError, or whatever the signal was aborted with
 */
export interface Upstream {
  readonly name: string
  complete(request: ModelRequest, options: CallOptions): Promise<Answer>
  /** Resolves when the first event is there. */
  stream(request: ModelRequest, options: CallOptions): Promise<AnswerStream>
  close(): Promise<void>
}
