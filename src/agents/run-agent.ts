import { randomUUID } from 'node:crypto'
import type { StoredMessage } from '../conversation/history.js'
import type { Message } from '../conversation/message.js'
import type { AnsweringModel } from '../llm/model.js'
import { type CallContext, narrowContext } from '../util/call-context.js'
import type { CancelSignal } from '../util/cancellation.js'
import { inSpan } from '../util/telemetry/in-span.js'
import { ATTRIBUTE, OPERATION, SPAN } from '../util/telemetry/span-names.js'
import type { Tracer } from '../util/telemetry/tracer.js'
import { agentRules, type Turn } from './cycle/turn.js'
import { type TurnEvent, type TurnResult, toWireResult } from './cycle/turn-event.js'
import { startTurnRun, type TurnRun } from './cycle/turn-run.js'
import type { GuardCounter } from './guards/count-guards.js'
import type { HookExecutor } from './hook-executor.js'
import type { PreparedAgent } from './prepared-agent.js'
import { runLocalTurn } from './run-local-turn.js'
import type { ReportUsage } from './tools/agent-tool.js'

/** What runs of agents share. */
export interface AgentRuns {
  /** Asked for every step. */
  readonly model: AnsweringModel
  /** The application's; agents that are called as tools have those of their caller. */
  readonly hooks: HookExecutor
  /** Milliseconds of one tool call. */
  readonly toolTimeoutMs?: number | undefined
  readonly counter?: GuardCounter | undefined
  /** Makes a span of every turn of an agent; undefined for none. */
  readonly tracer?: Tracer | undefined
}

/** One turn of an agent that nobody remembers. */
export interface AgentRunRequest extends AgentRuns {
  readonly agent: PreparedAgent
  /** The conversation, the question last; system messages in it follow the agent's own. */
  readonly messages: readonly Message[]
  /** Whether to emit deltas while the model writes. */
  readonly streamed: boolean
  /** False if text that readers have seen cannot be retracted. Default true. */
  readonly mayRollBack?: boolean
  readonly call: CallContext
  /** Called with the usage of every model call, also if the run fails. */
  readonly spend?: ReportUsage
}

/** The number of the turn of a run that nobody remembers. */
export const ONLY_TURN = 1

/** Runs one turn without a session. Tools that a person would have to approve are refused: nobody can be asked. */
export function runAgent(request: AgentRunRequest): TurnRun {
  return startTurnRun(
    (emit, signal) => runTraced(request, countRollbacks(request.counter, emit), signal),
    (result) => ({ type: 'turn.completed', result: toWireResult(ONLY_TURN, result) }),
    request.call.signal,
  )
}

/** A prompt that runs tools has no agent's name, and no span beside the chat's. */
function runTraced(
  request: AgentRunRequest,
  emit: (event: TurnEvent) => void,
  signal: CancelSignal,
): Promise<TurnResult> {
  const { id } = request.agent
  if (id === '') return runTurn(request, emit, signal)
  const attributes = { [ATTRIBUTE.operation]: OPERATION.agent, [ATTRIBUTE.agentName]: id }
  return inSpan(request.tracer, request.call, { name: SPAN.agent(id), attributes }, (call) =>
    runTurn({ ...request, call }, emit, signal),
  )
}

async function runTurn(
  request: AgentRunRequest,
  emit: (event: TurnEvent) => void,
  signal: CancelSignal,
): Promise<TurnResult> {
  const { agent, model, hooks, messages, streamed, mayRollBack = true, call, toolTimeoutMs } = request
  const { id, revision, system, toolbox } = agent
  emit({ type: 'turn.started', turn: ONLY_TURN, agent: id, agent_revision: revision })
  const turn: Turn = {
    ...{ system, toolbox, emit, streamed, mayRollBack },
    rules: agentRules(agent, { hooks, toolTimeoutMs }),
    provider: model,
    model: agent.model,
    spend: request.spend ?? (() => {}),
    call: narrowContext(call, { signal }),
    turn: ONLY_TURN,
    scope: randomUUID(),
    history: { messages: messages.map(toStored) },
  }
  const { result } = await runLocalTurn(turn, undefined)
  request.counter?.ended(result.endedBy)
  return result
}

/** Counts the messages that guards retract. */
export function countRollbacks(
  counter: GuardCounter | undefined,
  emit: (event: TurnEvent) => void,
): typeof emit {
  if (counter === undefined) return emit
  return (event) => {
    if (event.type === 'rollback') counter.tookBack(event.reason)
    emit(event)
  }
}

/** A message of a conversation that is kept elsewhere. */
export function toStored(message: Message): StoredMessage {
  const kind = message.role === 'tool' ? ({ kind: 'tool_result' } as const) : {}
  return { id: randomUUID(), turn: ONLY_TURN, ...kind, message }
}
