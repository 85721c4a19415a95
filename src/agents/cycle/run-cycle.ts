import type { History, StoredKind, StoredMessage } from '../../conversation/history.js'
import { type Message, messageText } from '../../conversation/message.js'
import { toWireToolCall } from '../../conversation/tool-calls.js'
import { ServiceError } from '../../errors.js'
import type { Usage } from '../../llm/model.js'
import { addUsage, type CallUsage } from '../../llm/usage.js'
import { extractBoxed } from '../../protocols/boxed.js'
import { throwIfAborted } from '../../util/cancellation.js'
import { newId } from '../../util/new-id.js'
import { SLICES } from '../../util/slices/budgets.js'
import { createSlicer, pause } from '../../util/slices/pause.js'
import { judgeAnswer, type Rollback, type Settled, settleAnswer } from '../guards/judge-answer.js'
import { judgeCalls, remarkOf } from '../guards/judge-calls.js'
import { askModel, type ModelAnswer, mayTakeBack, toRequest } from './ask-model.js'
import type { CycleSetup, JournalEntry } from './cycle-setup.js'
import {
  type CycleCounters,
  type CycleState,
  inOrderOfCalls,
  isUnmarked,
  newCycleState,
  type PendingCall,
  withBegun,
  withResult,
} from './cycle-state.js'
import { type Fitted, fitHistory, type LastSize } from './fit-history.js'
import { nextAction } from './next-action.js'
import { type CheckedCall, prepareCalls, refusedEvent, toPending, toRefusal } from './prepare-calls.js'
import { runTools } from './run-tools.js'
import { type EndedBy, type TurnResult, toWireCall, toWireUsage } from './turn-event.js'

/** Where a turn starts or continues. */
export interface CycleStart {
  /** What was said before, this turn's user message included. */
  readonly history: History
  /** The state of a paused turn; undefined starts from scratch. */
  readonly state?: CycleState | undefined
}

/** How a run of the loop ended: with a result, or because a person has to decide. */
export type CycleEnd =
  | {
      readonly kind: 'completed'
      readonly result: TurnResult
      readonly state: CycleState
      /** The answer: for the caller to store, together with the result. */
      readonly messages: readonly StoredMessage[]
    }
  | { readonly kind: 'paused'; readonly waiting: readonly PendingCall[]; readonly state: CycleState }

/** Of more calls in one message, or longer ones, each thing that is done with all of them has a turn of its own. */
const MANY_CALLS = 100
const LONG_CALLS = 65_536

/**
 * The loop: asks the model, runs the tools it calls, and again, until there is an answer, a limit or a question for a
 * person. What comes next is decided by {@link nextAction}; this performs it.
 *
 * @throws ServiceError as the model does; `hook_blocked`, `limit_exceeded`, `llm_bad_response`, `context_overflow`; the
 * signal's reason when it aborts
 */
export function runCycle(setup: CycleSetup, start: CycleStart): Promise<CycleEnd> {
  return new Cycle(setup, start).run()
}

class Cycle {
  readonly #setup: CycleSetup
  #history: History
  #state: CycleState
  #answer: Settled | undefined
  /** Said to the model in the next request only: what was wrong with its last words. */
  #note: string | undefined
  #lastSize: LastSize | undefined
  /** Only then a person may have allowed calls that are pending. */
  readonly #isResumed: boolean

  constructor(setup: CycleSetup, { history, state }: CycleStart) {
    this.#setup = setup
    this.#isResumed = state !== undefined
    this.#history = history
    this.#state = state ?? newCycleState(setup.clock.now())
  }

  async run(): Promise<CycleEnd> {
    // All calls of a paused turn may have been rejected.
    if (this.#state.pending.length === 0 && this.#state.results.length > 0) await this.#closeCalls()
    for (;;) {
      throwIfAborted(this.#setup.call.signal)
      if (this.#answer !== undefined) return this.#finish(this.#answer)
      const action = nextAction(this.#state, {
        limits: this.#setup.limits,
        now: this.#setup.clock.now(),
        awaiting: this.#waiting().length,
      })
      if (action === 'wait') return { kind: 'paused', waiting: this.#waiting(), state: this.#state }
      if (action === 'tools') await this.#runTools()
      else if (action === 'model') await this.#step()
      else this.#end(action.end)
    }
  }

  async #step(): Promise<void> {
    const isLast = this.#state.ending !== undefined
    const tools = isLast ? [] : this.#setup.toolbox.list()
    const { writer } = this.#setup
    if (writer !== undefined) await writer.read(this.#history.messages.map(({ message }) => message))
    const fitting = fitHistory(this.#setup, this.#history, this.#state, this.#lastSize, tools)
    // Here and below nothing is awaited that is at hand: it mostly is, and a turn costs what it awaits.
    const { view, overflows } = fitting instanceof Promise ? await this.#shorten(await fitting) : fitting
    if (overflows && !isLast) return this.#end('context')
    this.#setup.emit({ type: 'step.started', step: this.#state.step + 1 })
    const isPlain = this.#note === undefined && !isLast
    const shown = isPlain ? view : [...view, ...(await this.#transient(isLast))]
    const request = toRequest(this.#setup, shown, tools)
    const answer = await askModel(this.#setup, request, tools, (each) => this.#count(each))
    if (answer === 'overflow') return this.#overflow()
    this.#note = undefined
    this.#remember(shown, answer.usage)
    const verdict = judgeAnswer(this.#setup, this.#state, answer, isLast)
    if (verdict.kind === 'rollback') this.#rollBack(verdict)
    else if (answer.calls.length > 0 && !isLast) await this.#takeCalls(answer)
    else this.#takeAnswer(answer, verdict.brokenFormat)
  }

  /** Counts and keeps what was done to make the conversation fit. */
  async #shorten(fitted: Fitted): Promise<Fitted> {
    for (const spent of fitted.spent ?? []) this.#count(spent)
    if (fitted.summary !== undefined) await this.#store([fitted.summary], fitted)
    return fitted
  }

  /** What is said for one request only: the correction of a rollback, the demand for a last answer. */
  async #transient(isLast: boolean): Promise<readonly Message[]> {
    const { note = String } = this.#setup.prompts
    const correction = this.#note === undefined ? undefined : await note(this.#note)
    const texts = [correction, isLast ? await this.#finalPrompt() : undefined]
    const content = texts.filter((text) => text !== undefined && text !== '').join('\n\n')
    return content === '' ? [] : [{ role: 'user', content }]
  }

  #finalPrompt(): string | Promise<string> {
    const { prompts, agentRole, answer } = this.#setup
    return prompts.final({ agentRole, boxed: answer === 'boxed', task: taskOf(this.#history) })
  }

  /**
   * Parses, checks and permits all calls of a message; they run in the next step. The intent is durable before, unless all
   * of them only read: those are asked for again if this process dies.
   */
  async #takeCalls(answer: ModelAnswer): Promise<void> {
    const isLarge = isLargeMessage(answer)
    if (isLarge) await pause()
    const prepared = await prepareCalls(answer, this.#setup)
    if (isLarge) await pause()
    const verdict = judgeCalls(this.#setup, this.#state, prepared, mayTakeBack(this.#setup, answer))
    if (verdict.kind === 'rollback') return this.#rollBack(verdict)
    if (verdict.kind === 'loop') return this.#end('loop')
    if (isLarge) await pause()
    this.#state = {
      ...this.#state,
      pending: prepared.flatMap((each, place) => toPending(each, this.#state.called + place)),
      called: this.#state.called + prepared.length,
      results: prepared.flatMap(toRefusal),
      remark: remarkOf(verdict.note, answer.parts),
      toolTurns: this.#state.toolTurns + 1,
      counters: verdict.counters,
    }
    const boxed = boxIn(this.#setup, answer)
    if (boxed !== undefined) this.#state = { ...this.#state, boxed }
    if (isLarge) await this.#announceInSlices(prepared)
    else for (const each of prepared) this.#announce(each)
    const content = answer.text === '' ? null : answer.text
    if (isLarge) await pause()
    const calls = prepared.map(({ call }) => toWireToolCall(call))
    const said = this.#stored({ ...answer.message, content, tool_calls: calls })
    await this.#store([said], this.#mayAct() ? { isIntent: true } : {})
    if (this.#state.pending.length === 0) await this.#closeCalls()
  }

  /** Whether a pending call may change something. */
  #mayAct(): boolean {
    return this.#state.pending.some(({ name }) => this.#setup.toolbox.get(name)?.readOnly !== true)
  }

  /** A message may have a thousand calls: others are let in. */
  async #announceInSlices(prepared: readonly CheckedCall[]): Promise<void> {
    const slicer = createSlicer(SLICES.streamedText.ms)
    for (const each of prepared) {
      this.#announce(each)
      const turn = slicer.turn()
      if (turn !== undefined) await turn
    }
  }

  #announce(prepared: CheckedCall): void {
    this.#setup.emit({ type: 'tool.called', call: toWireCall(prepared.call) })
    if (prepared.kind === 'refused') this.#setup.emit(refusedEvent(prepared))
  }

  async #runTools(): Promise<void> {
    const runnable = this.#state.pending.filter(({ ask }) => ask !== true)
    const writes: Promise<void>[] = []
    await runTools(this.#setup, this.#state.step, runnable, {
      onBegin: (calls) => (this.#isResumed ? this.#markBegun(calls.filter(isUnmarked)) : undefined),
      onResult: (result) => {
        this.#state = withResult(this.#state, result, this.#setup.toolbox)
        // The last result is written with all of them.
        if (this.#state.pending.length > 0)
          writes.push(this.#setup.journal.write({ messages: [], state: this.#state }))
      },
      onUsage: (usage, cost) => this.#spend({ usage, cost }),
    })
    if (writes.length > 0) await Promise.all(writes)
    if (this.#state.pending.length === 0) await this.#closeCalls()
  }

  /**
   * Records calls that a person approved, which may run only once: a process that continues the turn has to know that
   * they may have run.
   */
  #markBegun(calls: readonly PendingCall[]): Promise<void> | undefined {
    if (calls.length === 0) return undefined
    this.#state = withBegun(this.#state, calls)
    return this.#setup.journal.write({ messages: [], state: this.#state, isIntent: true })
  }

  /** Every call has its result: they enter the history together, in the order of the calls. */
  #closeCalls(): Promise<void> {
    const results = inOrderOfCalls(this.#state, this.#history)
    this.#state = { ...this.#state, results: [], remark: undefined }
    return this.#store(results.map((message) => this.#stored(message, 'tool_result')))
  }

  #takeAnswer(answer: ModelAnswer, brokenFormat: boolean): void {
    const settled = settleAnswer(this.#setup, this.#state, answer, brokenFormat)
    if (settled.kind === 'again') {
      this.#note = settled.note
      this.#state = { ...this.#state, ending: this.#state.ending ?? 'answer' }
      this.#changeCounters({ answers: this.#state.counters.answers + 1 })
    } else this.#answer = settled
  }

  #finish({ message, endedBy, boxed, value }: Settled): CycleEnd {
    const { usage, cost, step, counters } = this.#state
    const result: TurnResult = {
      message,
      text: messageText(message),
      endedBy,
      usage,
      ...(cost !== undefined && { cost }),
      steps: step,
      toolCalls: counters.toolCalls,
      ...(boxed !== undefined && { boxed }),
      ...(value !== undefined && { value }),
    }
    return { kind: 'completed', result, state: this.#state, messages: [this.#stored(message)] }
  }

  /** From here on there is only the last answer; the first cause stays. */
  #end(cause: EndedBy): void {
    if (this.#setup.onLimit === 'error') {
      throw new ServiceError('limit_exceeded', `The turn reached its limit: ${cause}`)
    }
    this.#state = { ...this.#state, ending: this.#state.ending ?? cause }
  }

  #rollBack({ reason, note }: Rollback): void {
    const { counters } = this.#state
    this.#note = note
    if (reason === 'repetition') this.#changeCounters({ repeated: true })
    else this.#changeCounters({ rollbacks: counters.rollbacks + 1 })
    this.#setup.emit({ type: 'rollback', reason, attempt: counters.rollbacks + 1 })
  }

  /** The provider says that the request is too long: what it is shown is shortened once; then there is the last answer. */
  #overflow(): void {
    const overflows = this.#state.counters.overflows + 1
    this.#changeCounters({ overflows })
    if (overflows === 2) this.#end('context')
    if (overflows > 2) {
      throw new ServiceError('context_overflow', 'The conversation does not fit the context of the model')
    }
  }

  #count(spent: CallUsage): void {
    this.#state = { ...this.#state, step: this.#state.step + 1 }
    this.#spend(spent)
  }

  /** What agents that are tools use is their caller's. */
  #spend({ usage, cost }: CallUsage): void {
    this.#setup.spend(usage, cost)
    if (cost !== undefined) this.#state = { ...this.#state, cost: (this.#state.cost ?? 0) + cost }
    if (usage === undefined) return
    this.#state = { ...this.#state, usage: addUsage(this.#state.usage, usage) }
    const event = { type: 'usage', usage: toWireUsage(usage) } as const
    this.#setup.emit(cost === undefined ? event : { ...event, cost })
  }

  #remember(shown: readonly Message[], usage: Usage | undefined): void {
    if (usage === undefined) return
    this.#lastSize = { messages: shown.length + 1, tokens: usage.inputTokens + usage.outputTokens }
  }

  #waiting(): readonly PendingCall[] {
    const { pending } = this.#state
    return pending.length === 0 ? pending : pending.filter(({ ask }) => ask === true)
  }

  #stored(message: Message, kind?: StoredKind): StoredMessage {
    const { turn } = this.#setup
    const id = newId()
    return kind === undefined ? { id, turn, message } : { id, turn, kind, message }
  }

  #store(
    messages: readonly StoredMessage[],
    { summaryUpTo, isIntent }: Pick<JournalEntry, 'summaryUpTo' | 'isIntent'> = {},
  ): Promise<void> {
    const all = [...this.#history.messages, ...messages]
    this.#history =
      summaryUpTo === undefined ? { ...this.#history, messages: all } : { messages: all, summaryUpTo }
    const entry = { messages, state: this.#state }
    if (summaryUpTo !== undefined) return this.#setup.journal.write({ ...entry, summaryUpTo })
    return this.#setup.journal.write(isIntent === true ? { ...entry, isIntent } : entry)
  }

  #changeCounters(changes: Partial<CycleCounters>): void {
    this.#state = { ...this.#state, counters: { ...this.#state.counters, ...changes } }
  }
}

/** What the newest user message asks for. */
function taskOf({ messages }: History): string {
  const asked = messages.findLast(
    ({ message, kind }) => message.role === 'user' && kind === undefined,
  )?.message
  return asked === undefined ? '' : messageText(asked)
}

function isLargeMessage({ calls }: ModelAnswer): boolean {
  const characters = calls.reduce((sum, call) => sum + call.arguments.length, 0)
  return calls.length > MANY_CALLS || characters > LONG_CALLS
}

/** A box beside calls: an answer to fall back on. */
function boxIn({ answer }: CycleSetup, { text }: ModelAnswer): string | undefined {
  return answer === 'boxed' ? extractBoxed(text) : undefined
}
