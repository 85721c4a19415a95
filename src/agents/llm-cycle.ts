import { randomUUID } from 'node:crypto'
import { withFlatText } from '../conversation/flat-text.js'
import type { StoredMessage } from '../conversation/history.js'
import type { Message } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import { readCompletion } from '../llm/chat/read-completion.js'
import type { AnsweringModel, CallOptions, ChatRequest, Completion } from '../llm/model.js'
import { compileSchema } from '../schema/json-schema.js'
import { createToolbox, NO_TOOLS } from '../tools/create-toolbox.js'
import type { Tool, Toolbox } from '../tools/toolbox.js'
import type { CallContext } from '../util/call-context.js'
import { Cancellation, type CancelSignal } from '../util/cancellation.js'
import type { JsonObject } from '../util/json.js'
import { CostTracker, type Spending } from './cost-tracker.js'
import { askObject } from './cycle/ask-object.js'
import type { CycleOptions, RunDetails } from './cycle/create-setup.js'
import { runUnasked } from './cycle/run-unasked.js'
import { type TurnEvent, type TurnResult, toWireResult } from './cycle/turn-event.js'
import { startTurnRun, type TurnRun } from './cycle/turn-run.js'
import { HookExecutor } from './hook-executor.js'
import { HookedModel } from './hooked-model.js'

/** How a cycle asks its model. */
export interface LlmCycleOptions extends Partial<CycleOptions> {
  /** The model's name, as in a chat completions request. */
  readonly model: string
  /** Put before the history, unless the history brings its own system message. */
  readonly systemPrompt?: string
}

/** Per call: whose signal ends it, and under which id it is logged. */
export type SubmitOptions = Partial<Pick<CallContext, 'signal' | 'requestId' | 'traceparent' | 'session'>>

/** One answer of the model, with what it says at hand. */
export interface CycleAnswer extends Completion {
  readonly message: Message
  readonly text: string
}

/** What one run of the loop is about. */
export interface RunRequest extends SubmitOptions {
  /** Said after the history. */
  readonly messages: readonly Message[]
  /** Default: none. */
  readonly tools?: Toolbox | readonly Tool[]
  /** Whether deltas are told as the model writes. Default false. */
  readonly streamed?: boolean
}

/** The turn of a cycle's first run. */
const FIRST_TURN = 1

/**
 * A conversation with a model that remembers what was said. Stateful: one cycle per conversation, one call at a time.
 * A call that fails leaves the history as it was.
 */
export class LlmCycle {
  readonly #model: HookedModel
  readonly #options: LlmCycleOptions
  readonly #spent = new CostTracker()
  readonly #id = randomUUID()
  #messages: readonly StoredMessage[] = []
  #turn = FIRST_TURN
  #busy = false

  constructor(model: AnsweringModel, options: LlmCycleOptions) {
    const { hooks = new HookExecutor() } = options
    this.#model = HookedModel.of(model, hooks)
    this.#options = { ...options, hooks }
  }

  /** The conversation so far, answers included. */
  get messages(): readonly Message[] {
    return this.#messages.map(({ message }) => message)
  }

  /** What all calls of this cycle have used, failed turns included. */
  get spent(): Spending {
    return this.#spent.total
  }

  /** Replaces the history, with what a composer has built for instance. */
  withMessages(messages: readonly Message[]): this {
    this.#messages = messages.map((message) => this.#stored(message))
    return this
  }

  /** Adds to the end of the history. */
  extendMessages(messages: readonly Message[]): void {
    this.#messages = [...this.#messages, ...messages.map((message) => this.#stored(message))]
  }

  /**
   * Says the prompt as the user, after the system prompt if there is one and the history has none. The model is asked
   * once; tool calls in its answer are for the caller.
   *
   * @throws ServiceError as the model does, `overloaded` while another call of this cycle runs
   */
  submit(
    prompt: string,
    tools: readonly JsonObject[] = [],
    options: SubmitOptions = {},
  ): Promise<CycleAnswer> {
    return this.#alone(() =>
      this.#ask(
        [...this.#systemMessages(), ...this.messages, { role: 'user', content: prompt }],
        tools,
        options,
      ),
    )
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
  ): Promise<CycleAnswer> {
    return this.#alone(() => this.#ask([...this.messages, ...messages], tools, options))
  }

  /**
   * Says the prompt as the user and runs the tools that the model calls, until it answers or a limit ends the turn.
   *
   * @throws ServiceError as {@link run}'s result
   */
  submitWithTools(prompt: string, registry: Toolbox, options: SubmitOptions = {}): Promise<TurnResult> {
    return this.run({ ...options, messages: [{ role: 'user', content: prompt }], tools: registry }).result
  }

  /** The same, told as it happens. */
  submitStream(
    prompt: string,
    tools: Toolbox | readonly Tool[] = NO_TOOLS,
    options: SubmitOptions = {},
  ): TurnRun {
    return this.run({ ...options, messages: [{ role: 'user', content: prompt }], tools, streamed: true })
  }

  /**
   * Runs the loop over the history and these messages. The history grows when the turn has its answer, and not before.
   * A tool that needs approval is refused: only sessions can ask.
   */
  run(request: RunRequest): TurnRun {
    const turn = this.#turn
    return startTurnRun(
      (emit, signal) => this.#alone(() => this.#loop(request, emit, signal)),
      (result) => ({ type: 'turn.completed', result: toWireResult(turn, result) }),
      request.signal,
    )
  }

  /**
   * Asks for an object that fits a schema; neither question nor answer enter the history.
   *
   * @throws ServiceError `llm_bad_response` when two answers do not fit, and as the model does
   */
  object(schema: JsonObject, messages: readonly Message[], options: SubmitOptions = {}): Promise<JsonObject> {
    const { model, parameters = {} } = this.#options
    return this.#alone(() =>
      askObject({
        model: this.#model,
        request: { ...parameters, model },
        messages: [...this.#systemMessages(), ...this.messages, ...messages],
        check: compileSchema(schema),
        options: callOptions(options),
        count: (usage) => this.#spent.add(usage),
      }),
    )
  }

  async #loop(
    request: RunRequest,
    emit: (event: TurnEvent) => void,
    signal: CancelSignal,
  ): Promise<TurnResult> {
    const { tools = NO_TOOLS } = request
    const { model, systemPrompt } = this.#options
    const hasSystem = this.#systemMessages().length > 0
    emit({ type: 'turn.started', turn: this.#turn, agent: '', agent_revision: '' })
    const run: RunDetails = {
      model,
      provider: this.#model,
      system: hasSystem ? systemPrompt : undefined,
      toolbox: 'list' in tools ? tools : createToolbox(tools),
      streamed: request.streamed ?? false,
      emit,
      spend: (usage, cost) => this.#spent.add(usage, cost),
      call: Object.freeze({
        requestId: request.requestId ?? randomUUID(),
        traceparent: request.traceparent,
        session: request.session,
        signal,
      }),
      turn: this.#turn,
      scope: `${this.#id}-${this.#turn}`,
    }
    const said = request.messages.map((message) => this.#stored(message))
    const { messages, result } = await runUnasked(this.#options, run, [...this.#messages, ...said])
    this.#messages = messages
    this.#turn += 1
    return result
  }

  #systemMessages(): readonly Message[] {
    const { systemPrompt } = this.#options
    const isKnown = this.#messages.some(({ message: { role } }) => role === 'system' || role === 'developer')
    return systemPrompt === undefined || isKnown ? [] : [{ role: 'system', content: systemPrompt }]
  }

  async #ask(
    messages: readonly Message[],
    tools: readonly JsonObject[],
    options: SubmitOptions,
  ): Promise<CycleAnswer> {
    const completion = await this.#model.complete(this.#toRequest(messages, tools), callOptions(options))
    const { message, text } = readCompletion(completion.body)
    const said = message === undefined ? messages : [...messages, message]
    this.#messages = said.map((each) => this.#stored(each))
    this.#spent.add(completion.usage)
    const { bytes, body, usage, report, cost } = completion
    return {
      bytes,
      body,
      usage,
      report,
      cost,
      message: message ?? { role: 'assistant', content: null },
      text,
    }
  }

  #toRequest(messages: readonly Message[], tools: readonly JsonObject[]): ChatRequest {
    const { model, parameters = {} } = this.#options
    const wire = messages.map(withFlatText)
    return { ...parameters, model, messages: wire, ...(tools.length > 0 && { tools }) }
  }

  #stored(message: Message): StoredMessage {
    return { id: randomUUID(), turn: this.#turn, message }
  }

  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#busy) throw new ServiceError('overloaded', 'Another call of this cycle is in progress')
    this.#busy = true
    try {
      return await work()
    } finally {
      this.#busy = false
    }
  }
}

function callOptions({ signal, requestId, traceparent }: SubmitOptions): CallOptions {
  return {
    signal: signal ?? new Cancellation(),
    requestId: requestId ?? randomUUID(),
    traceparent,
  }
}
