import { randomUUID } from 'node:crypto'
import { withFlatText } from '../conversation/flat-text.js'
import type { Message } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import { readCompletion } from '../llm/chat/read-completion.js'
import type { CallOptions, ChatRequest, Completion, Model } from '../llm/model.js'
import type { JsonObject } from '../util/json.js'

/** How a cycle asks its model. */
export interface LlmCycleOptions {
  /** The model's name, as in a chat completions request. */
  readonly model: string
  /** Put before the history by `submit`, unless the history brings its own system message. */
  readonly systemPrompt?: string
  /** Sent with every request: `temperature`, `max_tokens` and the like. */
  readonly parameters?: JsonObject
}

/** Per call: whose signal ends it, and under which id it is logged. */
export type SubmitOptions = Partial<Pick<CallOptions, 'signal' | 'requestId' | 'traceparent'>>

/**
 * A conversation with a model that remembers what was said. Stateful: one cycle per conversation, one call at a time.
 * A call that fails leaves the history as it was.
 */
export class LlmCycle {
  readonly #model: Model
  readonly #options: LlmCycleOptions
  #messages: readonly Message[] = []
  #busy = false

  constructor(model: Model, options: LlmCycleOptions) {
    this.#model = model
    this.#options = options
  }

  /** The conversation so far, answers included. */
  get messages(): readonly Message[] {
    return this.#messages
  }

  /** Replaces the history, with what a composer has built for instance. */
  withMessages(messages: readonly Message[]): this {
    this.#messages = [...messages]
    return this
  }

  /** Adds to the end of the history. */
  extendMessages(messages: readonly Message[]): void {
    this.#messages = [...this.#messages, ...messages]
  }

  /**
   * Says the prompt as the user, after the system prompt if there is one and the history has none.
   *
   * @throws ServiceError as the model does, `overloaded` while another call of this cycle runs
   */
  submit(
    prompt: string,
    tools: readonly JsonObject[] = [],
    options: SubmitOptions = {},
  ): Promise<Completion> {
    const history = [...this.#systemMessages(), ...this.#messages]
    return this.#ask([...history, { role: 'user', content: prompt }], tools, options)
  }

  /**
   * Says these messages after the history, and nothing else: no user message and no system prompt is added.
   *
   * @throws ServiceError as the model does, `overloaded` while another call of this cycle runs
   */
  submitMessages(
    messages: readonly Message[],
    tools: readonly JsonObject[] = [],
    options: SubmitOptions = {},
  ): Promise<Completion> {
    return this.#ask([...this.#messages, ...messages], tools, options)
  }

  #systemMessages(): readonly Message[] {
    const { systemPrompt } = this.#options
    const isKnown = this.#messages.some(({ role }) => role === 'system' || role === 'developer')
    return systemPrompt === undefined || isKnown ? [] : [{ role: 'system', content: systemPrompt }]
  }

  async #ask(
    messages: readonly Message[],
    tools: readonly JsonObject[],
    options: SubmitOptions,
  ): Promise<Completion> {
    if (this.#busy) throw new ServiceError('overloaded', 'this cycle waits for an answer already')
    this.#busy = true
    try {
      const completion = await this.#model.complete(this.#toRequest(messages, tools), {
        signal: options.signal ?? new AbortController().signal,
        requestId: options.requestId ?? randomUUID(),
        traceparent: options.traceparent,
      })
      const { message } = readCompletion(completion.body)
      this.#messages = message === undefined ? messages : [...messages, message]
      return completion
    } finally {
      this.#busy = false
    }
  }

  #toRequest(messages: readonly Message[], tools: readonly JsonObject[]): ChatRequest {
    const { model, parameters = {} } = this.#options
    const wire = messages.map(withFlatText)
    return { ...parameters, model, messages: wire, ...(tools.length > 0 && { tools }) }
  }
}
