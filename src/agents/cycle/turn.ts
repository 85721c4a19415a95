import type { History } from '../../conversation/history.js'
import type { AnsweringModel } from '../../llm/model.js'
import type { ProtocolId, ToolProtocol } from '../../protocols/protocol.js'
import { toolProtocol } from '../../protocols/tool-protocol.js'
import type { JsonObject } from '../../util/json/json.js'
import { type Clock, systemClock } from '../../util/time/clock.js'
import { finalPrompt } from '../guards/final-answer.js'
import { DEFAULT_GUARDS, type GuardSettings } from '../guards/guard-settings.js'
import type { HookExecutor } from '../hook-executor.js'
import { HookedModel } from '../hooked-model.js'
import { DEFAULT_LIMITS, type Limits } from '../limits.js'
import type { PreparedAgent } from '../prepared-agent.js'
import { allowAll, withoutAsking } from '../tools/permission.js'
import type { ContextSettings, CycleJournal, CyclePrompts, CycleSetup } from './cycle-setup.js'
import { applyDecisions, type CallDecision, type CycleState } from './cycle-state.js'
import { ProtocolWriter } from './protocol-writer.js'
import { type CycleEnd, runCycle } from './run-cycle.js'

/** What may be said about how a loop behaves; all of it has defaults. */
export interface CycleOptions
  extends Pick<
    CycleSetup,
    'onLimit' | 'hooks' | 'permission' | 'protocol' | 'answer' | 'agentRole' | 'prompts' | 'clock'
  > {
  /** Sent with every request: `temperature`, `max_tokens` and the like. */
  readonly parameters: JsonObject
  readonly limits: Partial<Limits>
  readonly context: Partial<ContextSettings>
  readonly guards: Partial<GuardSettings>
  /** Milliseconds of one tool call. */
  readonly toolTimeoutMs: number | undefined
}

/** How a loop behaves, with nothing left out: made once for all turns that behave alike. */
export interface CycleRules
  extends Pick<
    CycleSetup,
    | 'onLimit'
    | 'hooks'
    | 'permission'
    | 'protocol'
    | 'answer'
    | 'agentRole'
    | 'guards'
    | 'limits'
    | 'context'
    | 'prompts'
    | 'clock'
    | 'toolTimeoutMs'
  > {
  readonly parameters: JsonObject | undefined
}

/** What of a loop its agent does not say, but who runs it. */
export interface CycleRunner {
  readonly hooks: HookExecutor
  readonly protocol: ToolProtocol | undefined
  readonly clock?: Clock | undefined
  readonly toolTimeoutMs?: number | undefined
}

/** One turn of an agent: how its loop behaves, what it works with, and where it begins. */
export interface Turn
  extends Pick<CycleSetup, 'system' | 'toolbox' | 'streamed' | 'emit' | 'spend' | 'call' | 'turn' | 'scope'> {
  readonly rules: CycleRules
  /** The model's name, and the upstream that has it. */
  readonly model: string
  readonly provider: AnsweringModel
  /** Default true. */
  readonly mayRollBack?: boolean
  /** Whether calls may wait for a person; else those that would are refused. Default true. */
  readonly mayAsk?: boolean
  /** What was said before, this turn's user message included. */
  readonly history: History
  /** Of a turn that another process left, or that waited for people; undefined for a new turn. */
  readonly left?: LeftTurn | undefined
}

/** The state of a turn that continues. */
export interface LeftTurn {
  readonly state: CycleState
  /** What people said about its calls, by call id. */
  readonly decisions: ReadonlyMap<string, CallDecision>
  /** Milliseconds in which nobody worked on it, which do not count. Default 0. */
  readonly idleMs?: number
}

/** Longest time of one tool call, in milliseconds, where nothing else is said. */
export const DEFAULT_TOOL_TIMEOUT_MS = 60_000

const SUMMARY_PROMPT =
  'Summarise the conversation so far for yourself: the goal, what was decided, what was found out (with exact names, ' +
  'numbers and paths), what is still to do. Answer with the summary only, in the language of the conversation.'

/** The prompts of a loop that nobody overrides. */
export const DEFAULT_CYCLE_PROMPTS: CyclePrompts = { final: finalPrompt, summary: SUMMARY_PROMPT }

/** All is shown to a model, until it does not fit. */
const WHOLE_CONTEXT: ContextSettings = { keepToolResults: -1, compact: true }

/** Fills in what is not said. */
export function cycleRules(
  given: Partial<Omit<CycleOptions, keyof CycleRunner>>,
  { hooks, protocol, clock = systemClock, toolTimeoutMs = DEFAULT_TOOL_TIMEOUT_MS }: CycleRunner,
): CycleRules {
  return {
    parameters: given.parameters,
    permission: given.permission ?? allowAll,
    protocol,
    answer: given.answer ?? 'text',
    agentRole: given.agentRole ?? 'main',
    guards: given.guards === undefined ? DEFAULT_GUARDS : { ...DEFAULT_GUARDS, ...given.guards },
    limits: given.limits === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...given.limits },
    onLimit: given.onLimit ?? 'answer',
    context: given.context === undefined ? WHOLE_CONTEXT : { ...WHOLE_CONTEXT, ...given.context },
    hooks,
    clock,
    toolTimeoutMs,
    prompts: given.prompts ?? DEFAULT_CYCLE_PROMPTS,
  }
}

/** What an agent's document says about its loop. */
export type AgentOptions = Pick<
  CycleOptions,
  'parameters' | 'permission' | 'answer' | 'agentRole' | 'guards' | 'limits' | 'context' | 'prompts'
>

/**
 * How the loop of an agent behaves: as its document says, and as the one who runs it.
 *
 * @param changes in place of the document's own
 */
export function agentRules(
  agent: Pick<PreparedAgent, keyof AgentOptions | 'protocol' | 'onLimit'>,
  { hooks, clock, toolTimeoutMs }: Omit<CycleRunner, 'protocol'>,
  { limits = agent.limits, guards = agent.guards }: Partial<Pick<AgentOptions, 'limits' | 'guards'>> = {},
): CycleRules {
  const { parameters, permission, answer, agentRole, context, prompts, protocol, onLimit = 'answer' } = agent
  return cycleRules(
    { parameters, permission, answer, agentRole, guards, limits, context, prompts, onLimit },
    { hooks, protocol: textProtocol(protocol), clock, toolTimeoutMs },
  )
}

/** The text form a model writes calls in; undefined for native ones. */
export function textProtocol(protocol: ProtocolId | ToolProtocol | undefined): ToolProtocol | undefined {
  if (typeof protocol === 'object') return protocol.id === 'native' ? undefined : protocol
  return protocol === undefined || protocol === 'native' ? undefined : toolProtocol(protocol)
}

/**
 * Runs a turn, or continues it, until it has its answer or waits for people: the only way in, wherever the messages
 * are stored. The journal decides what survives: nothing, this object, or everything under a lease.
 *
 * @throws ServiceError as {@link runCycle}
 */
export function driveTurn(turn: Turn, journal: CycleJournal): Promise<CycleEnd> {
  const setup = createSetup(turn, journal)
  const { history, left } = turn
  return left === undefined ? runCycle(setup, { history }) : continueTurn(setup, history, left)
}

async function continueTurn(
  setup: CycleSetup,
  history: History,
  { state: before, decisions, idleMs = 0 }: LeftTurn,
): Promise<CycleEnd> {
  const { state: decided, events } = applyDecisions(before, decisions)
  for (const event of events) setup.emit(event)
  const state = { ...decided, startedAt: decided.startedAt + idleMs }
  await setup.journal.continues?.(state)
  return runCycle(setup, { history, state })
}

/** All that one run of the loop needs. */
export function createSetup(turn: Omit<Turn, 'history' | 'left'>, journal: CycleJournal): CycleSetup {
  const { rules, mayAsk = true } = turn
  const { hooks, protocol, permission } = rules
  // Written out, of two objects: one spread over another is one that V8 looks names up in, at every use of the turn.
  return {
    model: HookedModel.of(turn.provider, hooks),
    request: { ...rules.parameters, model: turn.model },
    system: turn.system,
    toolbox: turn.toolbox,
    permission: mayAsk ? permission : withoutAsking(permission),
    protocol,
    writer: protocol && new ProtocolWriter(protocol, (name) => turn.toolbox.get(name)?.server),
    answer: rules.answer,
    agentRole: rules.agentRole,
    guards: rules.guards,
    limits: rules.limits,
    onLimit: rules.onLimit,
    context: rules.context,
    hooks,
    journal,
    emit: turn.emit,
    spend: turn.spend,
    clock: rules.clock,
    call: turn.call,
    streamed: turn.streamed,
    mayRollBack: turn.mayRollBack ?? true,
    toolTimeoutMs: rules.toolTimeoutMs,
    turn: turn.turn,
    scope: turn.scope,
    prompts: rules.prompts,
  }
}
