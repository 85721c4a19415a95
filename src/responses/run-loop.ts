import type { CycleJournal, JournalEntry } from '../agents/cycle/cycle-setup.js'
import type { CallDecision, PendingCall } from '../agents/cycle/cycle-state.js'
import type { TurnEvent } from '../agents/cycle/turn-event.js'
import type { KeptEnd, LeftLoop } from '../agents/run-kept-agent.js'
import { unknownCalls } from '../agents/sessions/continuation.js'
import type { StoredMessage } from '../conversation/history.js'
import type { Message } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import { readCompletionMessage } from '../llm/chat/read-completion.js'
import type { ApprovalView } from '../state/contract/approval-state.js'
import type { RecordAddress } from '../state/contract/record-state.js'
import type { RunCommit } from '../state/leased-run.js'
import type { Toolbox } from '../tools/toolbox.js'
import type { CancelSignal } from '../util/cancellation.js'
import { type JsonObject, stringifyJson } from '../util/json/json.js'
import { jsonObject } from '../util/json/json-fields.js'
import type { EventPump } from './event-pump.js'
import { readPaused, writeLoop } from './left-loop.js'
import type { LoopPlan, LoopWriter } from './response-plan.js'
import type { ResponseRun } from './response-run.js'
import type { ResponseRuntime } from './response-runtime.js'

/** The context of a response's record in which its loop's messages are. */
const SAID = 'main'

/** What a loop came to. */
export interface LoopOutcome {
  readonly response: JsonObject
  readonly spent: KeptEnd['spent']
  /** Where calls wait for a person: what the process that continues needs. */
  readonly paused?: Pick<RunCommit, 'approvals'> & { readonly state: JsonObject }
}

/**
 * Answers with an agent's loop, written so that another process can continue it: calls are durable before they run, and
 * the text of a step that was broken off stays as it was shown.
 *
 * @throws ServiceError as the loop does, `turn_interrupted` where a call may have had its effect, `approval_conflict`
 */
export async function runLoop(
  runtime: ResponseRuntime,
  { loop, request }: LoopPlan,
  writer: LoopWriter,
  options: ResponseRun,
  pump: EventPump,
  signal: CancelSignal,
): Promise<LoopOutcome> {
  const { stored, run, begun, frame } = options
  const { clock } = runtime
  const decisions = new Map<string, CallDecision>()
  const journal = new LoopJournal(runtime, options, pump)
  const left = async (toolbox: Toolbox): Promise<LeftLoop | undefined> => {
    if (begun?.left !== undefined) {
      assertKnown(begun.left, toolbox)
      journal.summaryUpTo = begun.left.summaryUpTo
      return begun.left
    }
    const asked = await answered(runtime, options, decisions)
    if (asked !== undefined) journal.begin(asked)
    return asked
  }
  const shown = new ShownSteps(writer)
  const end = await loop.run(request, {
    ...{ journal, left, decisions },
    call: Object.freeze({ ...options.call, signal, assertHeld: () => run.assertHeld() }),
    streamed: stored.isStream,
    scope: frame.id,
    mayAsk: stored.kept.store,
    emit: (event) => shown.take(event),
  })
  const { spent } = end
  if (!stored.isStream && stored.kept.background !== true) pump.hold()
  if (end.kind === 'completed') {
    shown.complete(end.message)
    return { response: writer.finish(spent.usage), spent }
  }
  const approvals = end.waiting.map((call) => approvalOf(writer.ask(requestOf(call)), call))
  const response = {
    ...writer.finish(spent.usage),
    status: 'incomplete',
    incomplete_details: { reason: 'approval_required', approvals: approvals.map(({ id }) => id) },
  }
  const state = writeLoop({ v: 1, cycle: end.state, at: clock.now(), summaryUpTo: journal.summaryUpTo })
  return { response, spent, paused: { state, approvals } }
}

/** The calls that a person was asked about by an earlier response, with the answers: each is given once. */
async function answered(
  { store, clock }: ResponseRuntime,
  { stored: { answers, answerer }, frame }: ResponseRun,
  decisions: Map<string, CallDecision>,
): Promise<LeftLoop | undefined> {
  if (answers === undefined) return undefined
  const address: RecordAddress = { kind: 'response', id: answers.response }
  const paused = await readPaused(store, address, answerer, clock.now())
  for (const { id, approve, reason } of answers.given) {
    const decision = {
      ...{ decision: approve ? 'approve' : 'reject', by: frame.id },
      ...(reason !== undefined && { reason }),
    }
    const status = approve ? 'approved' : 'rejected'
    const { approval } = await store.approvals.decide(address, id, { status, decision })
    const call = String(approval.data['call_id'])
    decisions.set(
      call,
      approve ? { kind: 'approved' } : { kind: 'rejected', ...(reason !== undefined && { reason }) },
    )
  }
  return paused
}

/** @throws ServiceError `turn_interrupted` */
function assertKnown({ state }: LeftLoop, toolbox: Toolbox): void {
  const [unknown] = unknownCalls(state, toolbox)
  if (unknown === undefined) return
  throw new ServiceError(
    'turn_interrupted',
    `The process that answered is gone, and the call ${unknown.id} of ${unknown.name} may have had its effect`,
  )
}

function approvalOf(id: string, { id: call_id, name, arguments: args }: PendingCall): ApprovalView {
  return { id, status: 'pending', data: { turn: 1, call_id, tool: name, arguments: args } }
}

/** A question to a person, as OpenAI's clients know it. */
function requestOf({ name, server, arguments: args }: PendingCall): JsonObject {
  return {
    type: 'mcp_approval_request',
    server_label: server ?? 'tools',
    name,
    arguments: stringifyJson(args),
  }
}

/** The steps of a loop as items: the text of each is one. */
class ShownSteps {
  readonly #writer: LoopWriter
  #isTextShown = false

  constructor(writer: LoopWriter) {
    this.#writer = writer
  }

  take(event: TurnEvent): void {
    if (event.type === 'step.started') {
      // What was said before is durable by now.
      this.#writer.closeItem()
      this.#isTextShown = false
    } else if (event.type === 'reasoning.delta')
      this.#writer.take([{ kind: 'reasoning', index: 0, text: event.text }])
    else if (event.type === 'text.delta') {
      this.#isTextShown = true
      this.#writer.take([{ kind: 'text', index: 0, text: event.text }])
    }
  }

  /** An answer that nobody has been shown yet. */
  complete(message: Message): void {
    if (this.#isTextShown) return
    const { text, reasoning } = readCompletionMessage(message)
    if (reasoning !== '') this.#writer.take([{ kind: 'reasoning', index: 0, text: reasoning }])
    if (text !== '') this.#writer.take([{ kind: 'text', index: 0, text }])
  }
}

/** Writes what a loop says and does into the response's record. */
class LoopJournal implements CycleJournal {
  readonly #runtime: ResponseRuntime
  readonly #options: ResponseRun
  readonly #pump: EventPump
  #unwritten: readonly StoredMessage[] = []
  summaryUpTo: number | undefined

  constructor(runtime: ResponseRuntime, options: ResponseRun, pump: EventPump) {
    this.#runtime = runtime
    this.#options = options
    this.#pump = pump
  }

  /** What an earlier response said is written with what comes next: the record has all that a takeover needs. */
  begin({ said, summaryUpTo }: LeftLoop): void {
    this.#unwritten = said
    this.summaryUpTo = summaryUpTo
  }

  async write({ messages, state, summaryUpTo, isIntent }: JournalEntry): Promise<void> {
    const { run, stop } = this.#options
    // What is broken off at the end of the service is unknown: the process that continues calls it again, or fails the response.
    if (stop.aborted) return
    this.summaryUpTo = summaryUpTo ?? this.summaryUpTo
    const append = [...this.#unwritten, ...messages].map(jsonObject)
    this.#unwritten = []
    const at = this.#runtime.clock.now()
    const loop = writeLoop({ v: 1, cycle: state, at, summaryUpTo: this.summaryUpTo })
    const written = { messages: [{ context: SAID, append }], turn: { state: loop } }
    if (isIntent !== true) return run.commitSoon(written)
    // What the step has said is in the log before the step counts as done.
    await this.#pump.stored()
    await run.commit(written)
  }
}
