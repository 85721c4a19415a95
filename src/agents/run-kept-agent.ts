import type { StoredMessage } from '../conversation/history.js'
import type { Message } from '../conversation/message.js'
import type { CallReport, Usage } from '../llm/model.js'
import type { Toolbox } from '../tools/toolbox.js'
import type { CallContext } from '../util/call-context.js'
import { inSpan } from '../util/telemetry/in-span.js'
import { ATTRIBUTE, OPERATION, SPAN } from '../util/telemetry/span-names.js'
import { countCalls } from './counting-model.js'
import type { CycleJournal } from './cycle/cycle-setup.js'
import type { CallDecision, CycleState, PendingCall } from './cycle/cycle-state.js'
import { agentRules, driveTurn } from './cycle/turn.js'
import type { TurnEvent } from './cycle/turn-event.js'
import type { PreparedAgent } from './prepared-agent.js'
import { type AgentRuns, countRollbacks, ONLY_TURN, toStored } from './run-agent.js'

/** What the loop itself has said and done in an earlier process, or before a person was asked. */
export interface LeftLoop {
  readonly said: readonly StoredMessage[]
  readonly summaryUpTo?: number | undefined
  readonly state: CycleState
}

/** A run of the loop that another process can continue. */
export interface KeptRun {
  readonly call: CallContext
  /** Whether deltas are emitted as the model writes; emitted text is not retracted. */
  readonly streamed: boolean
  readonly journal: CycleJournal
  /** Names this run among all, for idempotency keys; every process gives it the same name. */
  readonly scope: string
  /** Whether calls may wait for a person; else they are refused. */
  readonly mayAsk: boolean
  readonly emit: (event: TurnEvent) => void
  /**
   * What to continue, asked for once it is known which tools there are.
   *
   * @throws ServiceError where that is not safe
   */
  readonly left: (toolbox: Toolbox) => Promise<LeftLoop | undefined>
  /** By call id. */
  readonly decisions: ReadonlyMap<string, CallDecision>
}

/** What a run used. */
export interface ReportedUsage {
  /** Of all processes. */
  readonly usage: Usage
  readonly cost: number | undefined
  /** Of the calls that this process made. */
  readonly report: CallReport
}

/** How a run ended: with an answer, or with calls that wait for a person. */
export type KeptEnd =
  | { readonly kind: 'completed'; readonly message: Message; readonly spent: ReportedUsage }
  | {
      readonly kind: 'paused'
      readonly waiting: readonly PendingCall[]
      readonly state: CycleState
      readonly spent: ReportedUsage
    }

/**
 * Runs one turn of an agent over a conversation that somebody else keeps, so that it can be continued elsewhere.
 *
 * @throws ServiceError as the loop does
 */
export function runKeptAgent(
  runs: AgentRuns,
  agent: PreparedAgent,
  messages: readonly Message[],
  run: KeptRun,
): Promise<KeptEnd> {
  const { id } = agent
  if (id === '') return runLoop(runs, agent, messages, run)
  const attributes = { [ATTRIBUTE.operation]: OPERATION.agent, [ATTRIBUTE.agentName]: id }
  return inSpan(runs.tracer, run.call, { name: SPAN.agent(id), attributes }, (call) =>
    runLoop(runs, agent, messages, { ...run, call }),
  )
}

async function runLoop(
  { model, hooks, toolTimeoutMs, counter }: AgentRuns,
  agent: PreparedAgent,
  messages: readonly Message[],
  { call, streamed, journal, scope, mayAsk, emit, left, decisions }: KeptRun,
): Promise<KeptEnd> {
  const tally = countCalls(model, agent.model)
  const rules = agentRules(agent, { hooks, toolTimeoutMs })
  const { said = [], summaryUpTo, state } = (await left(agent.toolbox)) ?? {}
  const end = await driveTurn(
    {
      ...{ rules, system: agent.system, toolbox: agent.toolbox, model: agent.model, provider: tally.model },
      ...{ streamed, mayRollBack: !streamed, mayAsk, emit: countRollbacks(counter, emit), call, scope },
      spend: () => {},
      turn: ONLY_TURN,
      history: {
        messages: [...messages.map(toStored), ...said],
        ...(summaryUpTo !== undefined && { summaryUpTo }),
      },
      left: state && { state, decisions },
    },
    journal,
  )
  const { usage, cost } = end.state
  const spent = { usage, cost, report: tally.report() }
  if (end.kind === 'paused') return { kind: 'paused', waiting: end.waiting, state: end.state, spent }
  counter?.ended(end.result.endedBy)
  return { kind: 'completed', message: end.result.message, spent }
}
