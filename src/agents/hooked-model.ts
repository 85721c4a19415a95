import { isMessage } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import { StreamReader } from '../llm/chat/read-stream.js'
import { StreamCollector } from '../llm/chat/stream-collector.js'
import { toCompletion } from '../llm/chat/write-completion.js'
import type {
  AnsweringModel,
  CallOptions,
  ChatRequest,
  Completion,
  CompletionStream,
  ModelRequest,
  RetryInfo,
} from '../llm/model.js'
import { isContextOverflow } from '../llm/model-error.js'
import type { JsonObject } from '../util/json/json.js'
import type { HookExecutor } from './hook-executor.js'

/**
 * A model whose every request the application's hooks see: `preRequest`, `onRetry`, `postRequest` and `onError`. Whatever
 * an agent or a task asks a model for goes through one of these; the type says so, so that no request can leave it out.
 */
export class HookedModel implements AnsweringModel {
  readonly #model: AnsweringModel
  readonly #hooks: HookExecutor

  private constructor(model: AnsweringModel, hooks: HookExecutor) {
    this.#model = model
    this.#hooks = hooks
  }

  /** A model with its hooks; one that has hooks already keeps them, so that none is asked twice. */
  static of(model: AnsweringModel, hooks: HookExecutor): HookedModel {
    return model instanceof HookedModel ? model : new HookedModel(model, hooks)
  }

  /** @throws ServiceError `hook_blocked`, `invalid_config` for a patch that leaves no request, and as the model does */
  complete(request: ModelRequest, options: CallOptions): Promise<Completion> {
    return this.#hooks.isEmpty ? this.#model.complete(request, options) : this.#complete(request, options)
  }

  /** @throws ServiceError as `complete` */
  stream(request: ModelRequest, options: CallOptions): Promise<CompletionStream> {
    return this.#hooks.isEmpty ? this.#model.stream(request, options) : this.#stream(request, options)
  }

  async #complete(given: ModelRequest, options: CallOptions): Promise<Completion> {
    const request = await this.#ask(given)
    try {
      const completion = await this.#model.complete(request, this.#retrying(request, options))
      await this.#answered(request, completion.body)
      return completion
    } catch (error) {
      throw await this.#failed(request, error)
    }
  }

  async #stream(given: ModelRequest, options: CallOptions): Promise<CompletionStream> {
    const request = await this.#ask(given)
    try {
      const stream = await this.#model.stream(request, this.#retrying(request, options))
      return this.#hooks.has('postRequest') || this.#hooks.has('onError')
        ? this.#listening(request, stream)
        : stream
    } catch (error) {
      throw await this.#failed(request, error)
    }
  }

  async #ask(request: ModelRequest): Promise<ModelRequest> {
    const { blocked, patch } = await this.#hooks.execute({ event: 'preRequest', request })
    if (blocked !== undefined) throw new ServiceError('hook_blocked', blocked)
    return patch === undefined ? request : patched(request, patch)
  }

  #retrying(request: ModelRequest, options: CallOptions): CallOptions {
    if (!this.#hooks.has('onRetry')) return options
    const onRetry = (retry: RetryInfo) => {
      options.onRetry?.(retry)
      void this.#hooks.execute({ event: 'onRetry', request, attempt: retry.attempt, error: retry.error })
    }
    return { ...options, onRetry }
  }

  async #answered(request: ModelRequest, response: JsonObject): Promise<void> {
    await this.#hooks.execute({ event: 'postRequest', request, response })
  }

  /** A request that is too long is not a failure yet: the caller shortens it and sends it again. */
  async #failed(request: ModelRequest, error: unknown): Promise<unknown> {
    if (!isContextOverflow(error)) await this.#hooks.execute({ event: 'onError', request, error })
    return error
  }

  /** Hooks see a streamed answer as one completion, once it is whole. */
  #listening(request: ModelRequest, stream: CompletionStream): CompletionStream {
    const { ended, report } = stream
    const events = this.#collecting(request, stream.events)
    return { events, ended, report, usage: () => stream.usage(), cost: () => stream.cost?.() }
  }

  async *#collecting(request: ModelRequest, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    const reader = new StreamReader()
    const collector = new StreamCollector()
    try {
      for await (const piece of bytes) {
        for (const event of reader.push(piece)) collector.add(event)
        yield piece
      }
      for (const event of reader.end()) collector.add(event)
      const { message = {}, finishReason = 'stop' } = collector.completion()
      await this.#answered(request, toCompletion({}, message, finishReason, {}))
    } catch (error) {
      throw await this.#failed(request, error)
    }
  }
}

/** A hook may put anything in the place of a request's fields, except for what makes it one. */
function patched(request: ModelRequest, patch: JsonObject): ChatRequest {
  const { model = request.model, messages = request['messages'] } = patch
  if (typeof model === 'string' && Array.isArray(messages) && messages.every(isMessage))
    return { ...request, ...patch, model, messages }
  throw new ServiceError('invalid_config', 'The patch of a `preRequest` hook leaves no request')
}
