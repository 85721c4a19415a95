import type { AnsweringModel } from '../../llm/model.js'
import type { ToolProtocol } from '../../protocols/protocol.js'
import type { Permission } from '../../tools/toolbox.js'
import type { JsonObject } from '../../util/json/json.js'
import { type Clock, systemClock } from '../../util/time/clock.js'
import { finalPrompt } from '../guards/final-answer.js'
import { DEFAULT_GUARDS, type GuardSettings } from '../guards/guard-settings.js'
import type { HookExecutor } from '../hook-executor.js'
import { HookedModel } from '../hooked-model.js'
import type { ContextSettings, CycleJournal, CyclePrompts, CycleSetup } from './cycle-setup.js'
import { DEFAULT_LIMITS, type Limits } from './limits.js'
import { ProtocolWriter } from './protocol-writer.js'

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

/** What must be said about one run. */
export interface RunDetails
  extends Pick<CycleSetup, 'system' | 'toolbox' | 'streamed' | 'emit' | 'spend' | 'call' | 'turn' | 'scope'> {
  /** The model's name, and the upstream that has it. */
  readonly model: string
  readonly provider: AnsweringModel
  readonly mayRollBack?: boolean
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

const allowAll = (): Permission => 'allow'

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

/**
 * All that one run of the loop needs.
 *
 * @param permission in place of the rules' own
 */
export function createSetup(
  rules: CycleRules,
  run: RunDetails,
  journal: CycleJournal,
  permission = rules.permission,
): CycleSetup {
  const { hooks, protocol } = rules
  // Written out, of two objects: one spread over another is one that V8 looks names up in, at every use of the turn.
  return {
    model: HookedModel.of(run.provider, hooks),
    request: { ...rules.parameters, model: run.model },
    system: run.system,
    toolbox: run.toolbox,
    permission,
    protocol,
    writer: protocol && new ProtocolWriter(protocol, (name) => run.toolbox.get(name)?.server),
    answer: rules.answer,
    agentRole: rules.agentRole,
    guards: rules.guards,
    limits: rules.limits,
    onLimit: rules.onLimit,
    context: rules.context,
    hooks,
    journal,
    emit: run.emit,
    spend: run.spend,
    clock: rules.clock,
    call: run.call,
    streamed: run.streamed,
    mayRollBack: run.mayRollBack ?? true,
    toolTimeoutMs: rules.toolTimeoutMs,
    turn: run.turn,
    scope: run.scope,
    prompts: rules.prompts,
  }
}
