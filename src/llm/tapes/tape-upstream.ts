import type { TapeMode } from '../../schema/config-file.js'
import { toEvent } from '../../transport/sse-writer.js'
import { UpstreamError } from '../../transport/upstream-error.js'
import { parseObject, stringifyJson } from '../../util/json/json.js'
import type { Clock } from '../../util/time/clock.js'
import type { CallOptions, Endpoint, ModelRequest, Usage } from '../model.js'
import { readAnswer } from '../read-answer.js'
import type { Answer, AnswerStream, Upstream } from '../upstream.js'
import { readUsage } from '../usage.js'
import { isTransient, type Tape, type TapedError, type TapedEvent } from './tape.js'
import { TapeFolder, type TapeFolderOptions } from './tape-folder.js'
import { tapeMiss } from './tape-miss.js'

/** What a tape upstream needs. */
export interface TapeOptions extends TapeFolderOptions {
  readonly name: string
  readonly mode: TapeMode
  /** Whether streams keep the times of their events, and are replayed with them. */
  readonly keepsTimes: boolean
  /** Who answers what is recorded; not asked in mode `replay`. */
  readonly of: Pick<Upstream, 'complete' | 'stream'> | undefined
  readonly clock: Clock
}

/**
 * An upstream that answers from tapes: requests that were recorded, byte for byte, with their usage, finish reasons and
 * errors. In mode `replay` nothing leaves the machine.
 *
 * @throws ServiceError `tape_miss` for a request without a tape
 */
export function createTapeUpstream(options: TapeOptions): Upstream {
  const folder = new TapeFolder(options)
  const recorder = new Recorder(options, folder)
  const found = (endpoint: Endpoint, request: ModelRequest) => {
    const { mode } = options
    const tape = mode === 'refresh' ? undefined : folder.find(endpoint, folder.kept(request))
    if (tape === undefined && mode === 'replay') throw tapeMiss(endpoint, folder.kept(request), folder.all())
    // What records asks once more where an attempt failed: a retry has the answer.
    return mode === 'record' && tape !== undefined && isTransient(tape) ? undefined : tape
  }
  return {
    name: options.name,
    async complete(request, call) {
      const tape = found(endpointOf(call), request)
      return tape === undefined ? recorder.complete(request, call) : replayAnswer(tape)
    },
    async stream(request, call) {
      const tape = found(endpointOf(call), request)
      return tape === undefined ? recorder.stream(request, call) : replayStream(tape, options, call)
    },
    close: async () => {},
  }
}

function endpointOf({ endpoint = 'chat/completions' }: CallOptions): Endpoint {
  return endpoint
}

function replayAnswer({ answer, endpoint, ...tape }: Tape): Answer | Promise<Answer> {
  throwError(tape)
  return readAnswer(Buffer.from(stringifyJson(answer)), endpoint)
}

function replayStream(tape: Tape, options: TapeOptions, { signal }: CallOptions): AnswerStream {
  const { events = [] } = tape
  if (events.length === 0) throwError(tape)
  return { events: replayed(tape, options, signal), usage: () => usageIn(events) }
}

async function* replayed(
  { events = [], error }: Tape,
  { clock, keepsTimes }: TapeOptions,
  signal: CallOptions['signal'],
): AsyncGenerator<Buffer> {
  const startedAt = clock.elapsed()
  for (const { data, atMs } of events) {
    const waitMs = keepsTimes && atMs !== undefined ? atMs - (clock.elapsed() - startedAt) : 0
    if (waitMs > 0) await clock.sleep(waitMs, signal)
    if (signal.aborted) throw signal.reason
    yield toEvent(data)
  }
  throwError({ error })
}

function usageIn(events: readonly TapedEvent[]): Usage | undefined {
  for (const { data } of events.toReversed()) {
    const usage = readUsage(parseObject(data)?.['usage'])
    if (usage !== undefined) return usage
  }
  return undefined
}

function throwError({ error }: { readonly error?: TapedError | undefined }): void {
  if (error === undefined) return
  const { phase, message, ...more } = error
  throw new UpstreamError(phase, message, more)
}

function tapedError({ phase, message, status, detail }: UpstreamError): TapedError {
  return { phase, message, ...(status !== undefined && { status }), ...(detail !== undefined && { detail }) }
}

/** Asks the upstream and keeps what it says, and how a connection failed. */
class Recorder {
  private readonly options: TapeOptions
  private readonly folder: TapeFolder

  constructor(options: TapeOptions, folder: TapeFolder) {
    this.options = options
    this.folder = folder
  }

  async complete(request: ModelRequest, call: CallOptions): Promise<Answer> {
    const head = this.head(request, call)
    const answer = await this.keepingErrors(head, () => this.upstream().complete(request, call))
    this.folder.write({ ...head, answer: answer.body })
    return answer
  }

  async stream(request: ModelRequest, call: CallOptions): Promise<AnswerStream> {
    const head = this.head(request, call)
    const startedAt = this.options.clock.elapsed()
    const stream = await this.keepingErrors(head, () => this.upstream().stream(request, call))
    return { events: this.keepingEvents(head, stream.events, startedAt), usage: () => stream.usage() }
  }

  private head(request: ModelRequest, call: CallOptions): Pick<Tape, 'endpoint' | 'request'> {
    return { endpoint: endpointOf(call), request: this.folder.kept(request) }
  }

  private upstream(): NonNullable<TapeOptions['of']> {
    const { of, name } = this.options
    if (of === undefined) throw new Error(`tapes ${name}: there is no upstream to record`)
    return of
  }

  private async keepingErrors<Result>(
    head: Pick<Tape, 'endpoint' | 'request'>,
    ask: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof UpstreamError) this.folder.write({ ...head, error: tapedError(error) })
      throw error
    }
  }

  /** Written when the stream has ended, or broke: then with how. Of one that a client left nothing is kept. */
  private async *keepingEvents(
    head: Pick<Tape, 'endpoint' | 'request'>,
    events: AsyncIterable<Buffer>,
    startedAt: number,
  ): AsyncGenerator<Buffer> {
    const { clock, keepsTimes } = this.options
    const taped: TapedEvent[] = []
    try {
      for await (const some of events) {
        const atMs = Math.round(clock.elapsed() - startedAt)
        for (const data of dataIn(some)) taped.push(keepsTimes ? { data, atMs } : { data })
        yield some
      }
    } catch (error) {
      if (error instanceof UpstreamError)
        this.folder.write({ ...head, events: taped, error: tapedError(error) })
      throw error
    }
    this.folder.write({ ...head, events: taped })
  }
}

/** The data of each whole event. */
function dataIn(events: Buffer): readonly string[] {
  return events
    .toString('utf8')
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(line.startsWith('data: ') ? 6 : 5))
        .join('\n'),
    )
    .filter((data) => data !== '')
}
