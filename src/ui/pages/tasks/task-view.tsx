import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ApiClient } from '../../api/client.js'
import type { JsonObject, JsonValue, WireApproval, WireTask } from '../../api/shapes.js'
import { CopyButton } from '../../parts/copy-button.js'
import { JsonView } from '../../parts/json-view.js'
import { MarkdownView } from '../../parts/markdown-view.js'
import { Problem } from '../../parts/problem.js'
import { useShell } from '../../shell.js'
import { hrefOf } from '../../stores/route.js'
import { countText } from '../../texts/count-text.js'
import { ApprovalForm } from '../chat/approval-form.js'
import { shownCost } from '../chat/ask-model.js'
import { RoundView } from './round-view.js'
import { ScorePicture } from './score-picture.js'

/** A phase that is under way. */
interface RunningPhase {
  readonly round: number
  readonly phase: Phase
}
type Phase = NonNullable<WireTask['rounds'][number]['phases']>[number]['phase']

/** What is known of a task. */
interface TaskState {
  readonly task?: WireTask
  readonly phase?: RunningPhase
  readonly approvals: readonly WireApproval[]
  readonly error?: unknown
}

const OPEN: ReadonlySet<string> = new Set(['queued', 'running', 'waiting'])

/** One task as it goes: what it waits for, what it came to, then how: its rounds and their scores. */
export function TaskView({ id }: { readonly id: string }) {
  const { activity, api, say } = useShell()
  const state = useSignal<TaskState>({ approvals: [] })
  // The list beside it says the same.
  const status = state.value.task?.status
  useEffect(() => void activity.load().catch(() => {}), [status])
  useEffect(() => {
    const controller = new AbortController()
    followTask(api, id, state, controller.signal)
    return () => controller.abort()
  }, [id])
  const { task, phase, approvals, error } = state.value
  const decide = async (approval: string, decision: JsonObject) => {
    try {
      await api.decide(approval, decision)
      await refresh(api, id, state)
    } catch (problem) {
      state.value = { ...state.value, error: problem }
    }
  }
  if (task === undefined)
    return error === undefined ? <p class="quiet">{say('loading')}</p> : <Problem error={error} />
  return (
    <section class="card" aria-label={say('task')}>
      <Head task={task} phase={phase} />
      {error !== undefined && <Problem error={error} />}
      {approvals
        .filter(({ status }) => status === 'pending')
        .map((approval) => (
          <ApprovalForm key={approval.id} approval={approval} onDecide={decide} />
        ))}
      <Outcome task={task} />
      <ScorePicture rounds={task.rounds} />
      {[...task.rounds].reverse().map((round) => (
        <RoundView
          key={round.round}
          round={round}
          running={phase?.round === round.round && OPEN.has(task.status) ? phase.phase : undefined}
        />
      ))}
    </section>
  )
}

interface HeadProps {
  readonly task: WireTask
  readonly phase: RunningPhase | undefined
}

/** What it is, where it is, how long it takes and what it has used. */
function Head({ task, phase }: HeadProps) {
  const { api, say, work } = useShell()
  const isCancelling = useSignal(false)
  const problem = useSignal<unknown>(undefined)
  const isOpen = OPEN.has(task.status)
  const cancel = async () => {
    // A second click is the same wish.
    if (isCancelling.peek()) return
    isCancelling.value = true
    try {
      await api.cancelTask(task.id)
    } catch (error) {
      problem.value = error
    }
    isCancelling.value = false
  }
  const beginAgain = () => {
    work.text('task').value = task.description
    work.text('agent of task').value = task.agent ?? ''
    window.location.hash = hrefOf({ page: 'tasks' })
  }
  const { usage, cost } = task
  return (
    <>
      <div class="card-head">
        <h2>
          <span class={`badge status-${task.status}`}>{say(task.status)}</span> {task.description}
        </h2>
        {isOpen ? (
          <button type="button" disabled={isCancelling.value} onClick={cancel}>
            {say('cancel')}
          </button>
        ) : (
          <button type="button" onClick={beginAgain}>
            {say('beginAgain')}
          </button>
        )}
      </div>
      <p class="task-facts quiet">
        {isOpen && phase !== undefined && (
          <span class="running-phase">
            <span class="caret" /> {say('phaseOf', { phase: say(phase.phase), round: phase.round })}
          </span>
        )}
        <Elapsed task={task} isOpen={isOpen} />
        {usage !== undefined && (
          <span>
            {say('usage', { input: countText(usage.input_tokens), output: countText(usage.output_tokens) })}
          </span>
        )}
        {cost !== undefined && <span>{say('cost', { cost: shownCost(cost) })}</span>}
        {task.agent !== undefined && <a href={hrefOf({ page: 'agent', id: task.agent })}>{task.agent}</a>}
      </p>
      {problem.value !== undefined && <Problem error={problem.value} />}
    </>
  )
}

const TICK_MS = 1_000

/** From its creation to the end of its last phase, or to now. */
function Elapsed({ task, isOpen }: { readonly task: WireTask; readonly isOpen: boolean }) {
  const { say, today } = useShell()
  const now = useSignal(today())
  useEffect(() => {
    if (!isOpen) return
    const timer = setInterval(() => {
      now.value = today()
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [isOpen])
  const last = task.rounds.at(-1)?.phases?.at(-1)?.ended_at
  if (!isOpen && last === undefined) return null
  const end = isOpen || last === undefined ? now.value : Date.parse(last)
  const seconds = Math.max(0, end - Date.parse(task.created_at)) / 1_000
  return <span>{say('seconds', { seconds: seconds.toFixed(seconds < 10 ? 1 : 0) })}</span>
}

/** Why a task ends, in words. */
const ENDINGS = {
  correctness: 'endedCorrect',
  threshold: 'endedThreshold',
  no_replan: 'endedNoReplan',
  first_evaluation: 'endedFirst',
  max_rounds: 'endedRounds',
  budget: 'endedBudget',
  consecutive_failures: 'endedFailures',
  error: 'endedError',
  timeout: 'timed_out',
  unanswered: 'endedUnanswered',
  cancelled: 'cancelled',
} as const

/** What it came to: the text first, as one wants it. */
function Outcome({ task }: { readonly task: WireTask }) {
  const { say } = useShell()
  const { result, error } = task
  if (result === undefined && error === undefined) return null
  const { output, ended_by: ending, ...rest } = fieldsOf(result)
  const { text, steps } = fieldsOf(output)
  const reason = Object.entries(ENDINGS).find(([name]) => name === ending)?.[1]
  return (
    <section class="outcome" aria-label={say('outcome')}>
      <div class="card-head">
        <h3>{say('outcome')}</h3>
        {typeof text === 'string' && text !== '' && <CopyButton label={say('copy')} text={() => text} />}
      </div>
      {error !== undefined && <JsonView value={error} />}
      {typeof text === 'string' && <MarkdownView text={text} />}
      {reason !== undefined && <p class="quiet">{say(reason)}</p>}
      <details>
        <summary>{say('asJson')}</summary>
        <JsonView value={{ ...rest, ...(steps !== undefined && { steps }) }} />
      </details>
    </section>
  )
}

function fieldsOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {}
}

/** Reads the task again with every event that changes it, until it has ended. */
async function followTask(
  api: ApiClient,
  id: string,
  state: Signal<TaskState>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await refresh(api, id, state)
    for await (const { event, data } of api.followTask(id, signal)) {
      if (event === 'phase.started') state.value = { ...state.peek(), phase: JSON.parse(data) }
      if (!/^(?:text|reasoning|usage|tool)\b/.test(event)) await refresh(api, id, state)
    }
    await refresh(api, id, state)
  } catch (error) {
    if (!signal.aborted) state.value = { ...state.peek(), error }
  }
}

async function refresh(api: ApiClient, id: string, state: Signal<TaskState>): Promise<void> {
  const [task, approvals] = await Promise.all([api.task(id), api.approvals(id)])
  const { error: _error, ...before } = state.peek()
  state.value = { ...before, task, approvals: approvals.items }
}
