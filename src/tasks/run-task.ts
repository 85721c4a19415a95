import { throwIfAborted } from '../util/cancellation.js'
import { inSpan } from '../util/telemetry/in-span.js'
import { ATTRIBUTE, SPAN } from '../util/telemetry/span-names.js'
import type { Phase } from './checkpoint.js'
import { evaluatePhase } from './evaluate-phase.js'
import { type AskedCall, executePlan } from './execute-plan.js'
import { nextPhase, type TaskEndedBy } from './next-phase.js'
import { planPhase } from './plan-phase.js'
import { reflectPhase } from './reflect-phase.js'
import type { TaskProgress } from './task-progress.js'
import type { TaskSetup } from './task-setup.js'

/** How a run of a task stopped: at an ending, or because a person has to decide. */
export type TaskStop =
  | { readonly kind: 'ended'; readonly endedBy: TaskEndedBy }
  | { readonly kind: 'waiting'; readonly asked: readonly AskedCall[] }

/**
 * The loop: plan, execute, evaluate, reflect, and again, until one of the endings. What comes next is decided by
 * {@link nextPhase}; this performs it.
 *
 * @param mayGoOn called between things to do; throws to stop there, where everything is durable
 * @throws ServiceError as models and state do; the signal's reason when it aborts
 */
export async function runTask(
  setup: TaskSetup,
  progress: TaskProgress,
  mayGoOn: () => void = () => {},
): Promise<TaskStop> {
  const { config } = setup.request
  for (;;) {
    throwIfAborted(setup.call.signal)
    mayGoOn()
    const next = nextPhase(progress.checkpoint, config, setup.agent.limits)
    if (typeof next === 'object') return { kind: 'ended', endedBy: next.end }
    const startedAt = setup.clock.now()
    const asked = await inPhase(next, setup, progress, (traced) => perform(next, traced, progress, mayGoOn))
    progress.noteTime(next, [startedAt, setup.clock.now()])
    if (asked.length > 0) return { kind: 'waiting', asked }
  }
}

/** Does a phase as a span of the task. */
function inPhase<Result>(
  phase: Phase,
  setup: TaskSetup,
  { checkpoint }: TaskProgress,
  work: (setup: TaskSetup) => Promise<Result>,
): Promise<Result> {
  if (setup.tracer === undefined) return work(setup)
  const begins = phase === 'plan' ? 1 : 0
  const attributes = {
    [ATTRIBUTE.task]: setup.task,
    [ATTRIBUTE.phase]: phase,
    [ATTRIBUTE.round]: checkpoint.rounds.length + begins,
  }
  return inSpan(setup.tracer, setup.call, { name: SPAN.phase(phase), attributes }, (call) =>
    work({ ...setup, call }),
  )
}

async function perform(
  phase: Phase,
  setup: TaskSetup,
  progress: TaskProgress,
  mayGoOn: () => void,
): Promise<readonly AskedCall[]> {
  if (phase === 'execute') {
    setup.emit({ type: 'phase.started', round: progress.round.round, phase })
    return executePlan(setup, progress, mayGoOn)
  }
  await PHASES[phase](setup, progress)
  return []
}

const PHASES: Readonly<
  Record<Exclude<Phase, 'execute'>, (setup: TaskSetup, progress: TaskProgress) => Promise<void>>
> = { plan: planPhase, evaluate: evaluatePhase, reflect: reflectPhase }
