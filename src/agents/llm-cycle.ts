import { withFlatText } from '../conversation/flat-text.js'
import type { History, StoredMessage } from '../conversation/history.js'
import type { Message } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import { readCompletion } from '../llm/chat/read-completion.js'
import type { AnsweringModel, CallOptions, ChatRequest, Completion } from '../llm/model.js'
import { modelNameOf } from '../llm/model-name.js'
import { CostTracker, type TotalUsage } from '../llm/usage.js'
import type { ProtocolId, ToolProtocol } from '../protocols/protocol.js'
import { createToolbox, NO_TOOLS, type Tool, type Toolbox } from '../tools/toolbox.js'
import type { CallContext } from '../util/call-context.js'
import { Cancellation, type CancelSignal } from '../util/cancellation.js'
import { assertKnownOptions, type OptionNames } from '../util/errors/known-options.js'
import type { JsonObject } from '../util/json/json.js'
import { newId } from '../util/new-id.js'
import { assertLoopOptions } from './assert-loop-options.js'
import { askObject } from './cycle/ask-object.js'
import type { CycleJournal } from './cycle/cycle-setup.js'
import { newCycleState } from './cycle/cycle-state.js'
import { fitHistory } from './cycle/fit-history.js'
import { type CycleRules, createSetup, cycleRules, type Turn, textProtocol } from './cycle/turn.js'
import { type TurnEvent, type TurnResult, toWireResult } from './cycle/turn-event.js'
import { startTurnRun } from './cycle/turn-run.js'
import { assertAgentRole } from './guards/final-answer.js'
import { HookExecutor } from './hook-executor.js'
import { HookedModel } from './hooked-model.js'
import { type ProgramRun, toProgramRun } from './program-run.js'
import { type Approve, type LocalTurnOptions, runLocalTurn } from './run-local-turn.js'
import { type ParameterSchema, readSchema, type SchemaObject } from './tools/parameter-schema.js'

/** How a cycle asks its model. */
export interface LlmCycleOptions extends Omit<LocalTurnOptions, 'protocol'> {
  /** The model's name, as in a chat completions request. Default: the provider's own. */
  readonly model?: string
  /** How the model writes tool calls. Default `native`. */
  readonly protocol?: ProtocolId | ToolProtocol | undefined
  /** Put before the history, unless the history brings its own system message. */
  readonly systemPrompt?: string
}

const OPTION_NAMES: OptionNames<Required<LlmCycleOptions>> = {
  ...{ model: true, systemPrompt: true, parameters: true, protocol: true, approve: true, hooks: true },
  ...{ answer: true, agentRole: true, guards: true, limits: true, onLimit: true, context: true },
  ...{ permission: true, prompts: true, clock: true, toolTimeoutMs: true },
}

/** Per call: whose signal ends it, and under which id it is logged. */
export type SubmitOptions = Partial<Pick<CallContext, 'signal' | 'requestId' | 'traceparent' | 'session'>> & {
  /** In place of the cycle's: asked about calls of tools whose permission is `ask`. */
  readonly approve?: Approve
}

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
  /** Whether to emit deltas while the model writes. Default false. */
  readonly streamed?: boolean
}

/** Of what is asked and not remembered. */
const NO_JOURNAL: CycleJournal = { write: async () => {} }
/** The turn of a cycle's first run. */
const FIRST_TURN = 1

/**
 * A conversation with a model that remembers what was said. Stateful: one cycle per conversation, one call at a time.
 * A call that fails leaves the history as it was.
 */
export class LlmCycle {
  readonly #model: HookedModel
  readonly #rules: CycleRules
  readonly #approve: Approve | undefined
  readonly #systemPrompt: string | undefined
  readonly #name: string
  readonly #spent = new CostTracker()
  readonly #id = newId()
  #history: History = { messages: [] }
  #turn = FIRST_TURN
  #busy = false

  /** @throws ServiceError `invalid_config` for options that do not exist, and where the model needs a name */
  constructor(model: AnsweringModel, options: LlmCycleOptions = {}) {
    assertKnownOptions('LlmCycle', options, OPTION_NAMES)
    assertLoopOptions(options)
    assertAgentRole(options.agentRole)
    const { hooks = new HookExecutor() } = options
    this.#name = modelNameOf(model, options.model)
    this.#model = HookedModel.of(model, hooks)
    this.#systemPrompt = options.systemPrompt
    this.#rules = cycleRules(options, {
      hooks,
      protocol: textProtocol(options.protocol),
      clock: options.clock,
      toolTimeoutMs: options.toolTimeoutMs,
    })
    this.#approve = options.approve
  }

  /** The conversation so far, answers included. */
  get messages(): readonly Message[] {
    return this.#history.messages.map(({ message }) => message)
  }

  /** What all calls of this cycle have used, failed turns included. */
  get spent(): TotalUsage {
    return this.#spent.total
  }

  /** Replaces the history, with what a composer has built for instance. */
  withMessages(messages: readonly Message[]): this {
    this.#history = { messages: messages.map((message) => this.#stored(message)) }
    return this
  }

  /** Adds to the end of the history. */
  extendMessages(messages: readonly Message[]): void {
    this.#history = this.#followedBy(messages)
  }

  /**
   * Says the prompt as the user, after the system prompt if there is one and the history has none. The model is asked
   * once; tool calls in its answer are for the caller. With `context.window` older messages become a summary when the
   * conversation does not fit.
   *
   * @throws ServiceError as the model does, `overloaded` while another call of this cycle runs
   */
  submit(
    prompt: string,
    tools: readonly JsonObject[] = [],
    options: SubmitOptions = {},
  ): Promise<CycleAnswer> {
    return this.#alone(() =>
      this.#ask([...this.#systemMessages(), { role: 'user', content: prompt }], tools, options),
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
    return this.#alone(() => this.#ask(messages, tools, options))
  }

  /**
   * Says the prompt as the user and runs the tools that the model calls, until it answers or a limit ends the turn.
   *
   * @throws ServiceError as {@link run}'s result
   */
  submitWithTools(prompt: string, registry: Toolbox, options: SubmitOptions = {}): Promise<TurnResult> {
    const request = { ...options, messages: [{ role: 'user', content: prompt } as const], tools: registry }
    const result = this.#alone(() => this.#loop(request, unheard, options.signal ?? new Cancellation()))
    // Nobody has to look at it.
    result.catch(unheard)
    return result
  }

  /** Like `submitWithTools`, with its events as they happen. */
  submitStream(
    prompt: string,
    tools: Toolbox | readonly Tool[] = NO_TOOLS,
    options: SubmitOptions = {},
  ): ProgramRun {
    return this.run({ ...options, messages: [{ role: 'user', content: prompt }], tools, streamed: true })
  }

  /**
   * Runs the loop over the history and these messages. The history grows when the turn has its answer, and not before.
   * A call of a tool that needs approval waits for `approve`; without one it is refused.
   */
  run(request: RunRequest): ProgramRun {
    const turn = this.#turn
    const run = startTurnRun(
      (emit, signal) => this.#alone(() => this.#loop(request, emit, signal)),
      (result) => ({ type: 'turn.completed', result: toWireResult(turn, result) }),
      request.signal,
    )
    return toProgramRun(run)
  }

  /**
   * Asks for an object that fits a schema; neither question nor answer enter the history.
   *
   * @throws ServiceError `llm_bad_response` when two answers do not fit, and as the model does
   */
  async object<const Schema extends ParameterSchema>(
    schema: Schema,
    messages: string | readonly Message[],
    options: SubmitOptions = {},
  ): Promise<SchemaObject<Schema>> {
    const { parameters } = this.#rules
    const asked: readonly Message[] =
      typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages
    const { check, read } = readSchema<SchemaObject<Schema>>(schema)
    const value = await this.#alone(() =>
      askObject({
        model: this.#model,
        request: { ...parameters, model: this.#name },
        messages: [...this.#systemMessages(), ...this.messages, ...asked],
        check,
        options: callOptions(options),
        count: (usage, _model, cost) => this.#spent.add(usage, cost),
      }),
    )
    return read(value)
  }

  async #loop(
    request: RunRequest,
    emit: (event: TurnEvent) => void,
    signal: CancelSignal,
  ): Promise<TurnResult> {
    emit({ type: 'turn.started', turn: this.#turn, agent: '', agent_revision: '' })
    const { requestId = this.#scope, traceparent, session, approve = this.#approve } = request
    const call = Object.freeze({ requestId, traceparent, signal, session })
    const turn = { ...this.#details(request, call, emit), history: this.#followedBy(request.messages) }
    const { history, result } = await runLocalTurn(turn, approve)
    this.#history = history
    this.#turn += 1
    return result
  }

  #details(
    { tools = NO_TOOLS, streamed = false }: Pick<RunRequest, 'tools' | 'streamed'>,
    call: CallContext,
    emit: (event: TurnEvent) => void,
  ): Omit<Turn, 'history'> {
    const hasSystem = this.#systemMessages().length > 0
    return {
      rules: this.#rules,
      model: this.#name,
      provider: this.#model,
      system: hasSystem ? this.#systemPrompt : undefined,
      toolbox: 'list' in tools ? tools : createToolbox(tools),
      streamed,
      emit,
      spend: (usage, cost) => this.#spent.add(usage, cost),
      call,
      turn: this.#turn,
      scope: this.#scope,
    }
  }

  /** Names this turn among all. */
  get #scope(): string {
    return `${this.#id}-${this.#turn}`
  }

  #systemMessages(): readonly Message[] {
    const systemPrompt = this.#systemPrompt
    const isKnown = this.#history.messages.some(
      ({ message: { role } }) => role === 'system' || role === 'developer',
    )
    return systemPrompt === undefined || isKnown ? [] : [{ role: 'system', content: systemPrompt }]
  }

  async #ask(
    messages: readonly Message[],
    tools: readonly JsonObject[],
    options: SubmitOptions,
  ): Promise<CycleAnswer> {
    const call = callOptions(options)
    const { history, view } = await this.#fitted(this.#followedBy(messages), call)
    const completion = await this.#model.complete(this.#toRequest(view, tools), call)
    const { message, text } = readCompletion(completion.body)
    this.#history =
      message === undefined ? history : { ...history, messages: [...history.messages, this.#stored(message)] }
    const { bytes, body, usage, report, cost } = completion
    this.#spent.add(usage, cost)
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

  /** What the model is shown of a history, and the history with the summary that this took. */
  async #fitted(
    history: History,
    call: CallContext,
  ): Promise<{ readonly history: History; readonly view: readonly Message[] }> {
    if (this.#rules.context.window === undefined)
      return { history, view: history.messages.map(({ message }) => message) }
    // The history brings its system message along.
    const setup = createSetup({ ...this.#details({}, call, () => {}), system: undefined }, NO_JOURNAL)
    const state = newCycleState(setup.clock.now())
    const { view, summary, summaryUpTo, spent = [] } = await fitHistory(setup, history, state, undefined, [])
    for (const { usage, cost } of spent) this.#spent.add(usage, cost)
    if (summary === undefined || summaryUpTo === undefined) return { history, view }
    return { history: { messages: [...history.messages, summary], summaryUpTo }, view }
  }

  #toRequest(messages: readonly Message[], tools: readonly JsonObject[]): ChatRequest {
    const { parameters } = this.#rules
    const wire = messages.map(withFlatText)
    return { ...parameters, model: this.#name, messages: wire, ...(tools.length > 0 && { tools }) }
  }

  #followedBy(messages: readonly Message[]): History {
    const added = messages.map((message) => this.#stored(message))
    return { ...this.#history, messages: [...this.#history.messages, ...added] }
  }

  #stored(message: Message): StoredMessage {
    return { id: newId(), turn: this.#turn, message }
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

/** The listener of a caller that asks for the result only. */
function unheard(): void {}

function callOptions({ signal, requestId, traceparent }: SubmitOptions): CallOptions {
  return {
    signal: signal ?? new Cancellation(),
    requestId: requestId ?? newId(),
    traceparent,
  }
}
