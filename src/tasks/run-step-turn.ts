import { randomUUID } from 'node:crypto'
import type { CallDecision, CycleState, PendingCall } from '../agents/cycle/cycle-state.js'
import { agentRules, driveTurn } from '../agents/cycle/turn.js'
import type { TurnEvent } from '../agents/cycle/turn-event.js'
import type { StoredMessage } from '../conversation/history.js'
import { messageText } from '../conversation/message.js'
import type { CallUsage } from '../llm/usage.js'
import { isRepeatable } from '../tools/toolbox.js'
import { type JsonObject, type JsonValue, stringifyJson, textOrJson } from '../util/json/json.js'
import type { Step } from './plan.js'
import type { PausedTurn } from './step-record.js'
import type { EventOfStep } from './task-event.js'
import type { TaskSetup } from './task-setup.js'

/** What a turn of the agent needs beside the task's setup. */
export interface StepTurn {
  readonly round: number
  readonly step: Step
  readonly parameters: JsonObject
  /** Outputs of the steps it depends on. */
  readonly outputs: ReadonlyMap<string, JsonValue>
  /** Of a turn that waited for approvals, with what was decided by call id. */
  readonly paused?: PausedTurn | undefined
  readonly decisions: ReadonlyMap<string, CallDecision>
  readonly spend: (spent: CallUsage) => void
  /** Makes durable that something is about to run that must not run twice. */
  readonly beforeEffects: () => Promise<void>
}

export type StepTurnEnd =
  | { readonly kind: 'completed'; readonly output: JsonValue }
  | { readonly kind: 'waiting'; readonly waiting: readonly PendingCall[]; readonly paused: PausedTurn }

/**
 * Carries out a step that names no tool: one turn of the agent, with its tools.
 *
 * @throws ServiceError as the loop does
 */
export async function runStepTurn(setup: TaskSetup, turn: StepTurn): Promise<StepTurnEnd> {
  const { agent, call, clock, hooks, model, task, toolTimeoutMs } = setup
  const { round, step, paused } = turn
  const messages: StoredMessage[] = [...(paused?.messages ?? [asked(turn)])]
  const isText = agent.protocol !== 'native'
  const guards = { ...agent.guards, duplicate: true, ...(isText && refusing(agent.guards)) }
  const intend = async (state: CycleState) => {
    if (hasEffects(setup, state)) await turn.beforeEffects()
  }
  const end = await driveTurn(
    {
      rules: agentRules(agent, { hooks, clock, toolTimeoutMs }, { guards }),
      provider: model,
      model: agent.model,
      system: agent.system,
      toolbox: agent.toolbox,
      call,
      streamed: false,
      emit: (event) => forward(setup, turn, event),
      spend: (usage, cost) => turn.spend({ usage, cost }),
      turn: 1,
      scope: `${task}-${round}-${step.id}`,
      history: { messages: [...messages] },
      left: paused && { state: paused.state, decisions: turn.decisions },
    },
    {
      continues: intend,
      write({ messages: written, state }) {
        messages.push(...written)
        return intend(state)
      },
    },
  )
  if (end.kind === 'paused')
    return { kind: 'waiting', waiting: end.waiting, paused: { state: end.state, messages } }
  const { value, boxed, message } = end.result
  return { kind: 'completed', output: value ?? boxed ?? messageText(message) }
}

function asked({ step, parameters, outputs }: StepTurn): StoredMessage {
  const parts = [
    step.description,
    ...(step.expectedOutput === undefined ? [] : [`Expected: ${step.expectedOutput}`]),
    ...(Object.keys(parameters).length === 0 ? [] : [`Parameters: ${stringifyJson(parameters)}`]),
    ...step.dependencies.flatMap((id) =>
      outputs.has(id) ? [`Output of ${id}: ${textOrJson(outputs.get(id) ?? null)}`] : [],
    ),
  ]
  return { id: randomUUID(), turn: 1, message: { role: 'user', content: parts.join('\n\n') } }
}

/** In tasks, answers that give up early are rejected, with the agent's own list of phrases if it has one. */
function refusing({ refusal }: { readonly refusal: boolean | readonly string[] }) {
  return { refusal: refusal === false ? true : refusal }
}

/** Whether a call may run next that must not run twice. */
function hasEffects({ agent }: TaskSetup, { pending }: CycleState): boolean {
  return pending.some(({ ask, name }) => {
    const tool = ask === true ? undefined : agent.toolbox.get(name)
    return tool !== undefined && !isRepeatable(tool)
  })
}

/** A turn's own beginning and end are the step's. */
function forward({ emit }: TaskSetup, { round, step }: StepTurn, event: TurnEvent): void {
  if (isOfStep(event)) emit({ ...event, round, step_id: step.id })
}

function isOfStep(event: TurnEvent): event is EventOfStep {
  const { type } = event
  return !(type.startsWith('turn.') || type.startsWith('approval.') || type === 'paused' || type === 'gap')
}
