import type { AnsweringModel } from '../../llm/model.js'
import type { Permission } from '../../tools/toolbox.js'
import { systemClock } from '../../util/clock.js'
import type { JsonObject } from '../../util/json.js'
import { finalPrompt } from '../guards/final-answer.js'
import { DEFAULT_GUARDS, type GuardSettings } from '../guards/guard-settings.js'
import { HookExecutor } from '../hook-executor.js'
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

/** What must be said about one run. */
export interface RunDetails
  extends Pick<CycleSetup, 'system' | 'toolbox' | 'streamed' | 'emit' | 'spend' | 'call' | 'turn' | 'scope'> {
  /** The model's name, and whoever has it. */
  readonly model: string
  readonly provider: AnsweringModel
  readonly mayRollBack?: boolean
}

/** Longest time of one tool call, in milliseconds, where nothing else is said. */
const DEFAULT_TOOL_TIMEOUT_MS = 60_000

const SUMMARY_PROMPT =
  'Summarise the conversation so far for yourself: the goal, what was decided, what was found out (with exact names, ' +
  'numbers and paths), what is still to do. Answer with the summary only, in the language of the conversation.'

/** The prompts of a loop that nobody overrides. */
export const DEFAULT_CYCLE_PROMPTS: CyclePrompts = { final: finalPrompt, summary: SUMMARY_PROMPT }

const allowAll = (): Permission => 'allow'

/**
 * Fills in what is not said.
 *
 * @param permission in place of the options' own
 */
export function createSetup(
  given: Partial<CycleOptions>,
  run: RunDetails,
  journal: CycleJournal,
  permission = given.permission,
): CycleSetup {
  const hooks = given.hooks ?? new HookExecutor()
  // Written out, of two objects: one spread over another is one that V8 looks names up in, at every use of the turn.
  return {
    model: HookedModel.of(run.provider, hooks),
    request: { ...given.parameters, model: run.model },
    system: run.system,
    toolbox: run.toolbox,
    permission: permission ?? allowAll,
    protocol: given.protocol,
    writer: given.protocol && new ProtocolWriter(given.protocol, (name) => run.toolbox.get(name)?.server),
    answer: given.answer ?? 'text',
    agentRole: given.agentRole ?? 'main',
    guards: { ...DEFAULT_GUARDS, ...given.guards },
    limits: { ...DEFAULT_LIMITS, ...given.limits },
    onLimit: given.onLimit ?? 'answer',
    context: { keepToolResults: -1, compact: true, ...given.context },
    hooks,
    journal,
    emit: run.emit,
    spend: run.spend,
    clock: given.clock ?? systemClock,
    call: run.call,
    streamed: run.streamed,
    mayRollBack: run.mayRollBack ?? true,
    toolTimeoutMs: given.toolTimeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
    turn: run.turn,
    scope: run.scope,
    prompts: given.prompts ?? DEFAULT_CYCLE_PROMPTS,
  }
}
