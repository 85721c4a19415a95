import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ApiClient } from '../../api/client.js'
import type { JsonObject, JsonValue, WireApproval, WireTask } from '../../api/shapes.js'
import { JsonView } from '../../parts/json-view.js'
import { Problem } from '../../parts/problem.js'
import { useShell } from '../../shell.js'
import { ApprovalForm } from '../chat/approval-form.js'
import { RoundView } from './round-view.js'
import { ScorePicture } from './score-picture.js'

/** What is known of a task. */
interface TaskState {
  readonly task?: WireTask
  readonly approvals: readonly WireApproval[]
  readonly error?: unknown
}

const OPEN: ReadonlySet<string> = new Set(['queued', 'running', 'waiting'])

/** One task as it goes: its rounds, its scores, what it waits for, what it came to. */
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
  const { task, approvals, error } = state.value
  const decide = async (approval: string, decision: JsonObject) => {
    try {
      await api.decide(approval, decision)
      await refresh(api, id, state)
    } catch (problem) {
      state.value = { ...state.value, error: problem }
    }
  }
  const cancel = async () => {
    try {
      await api.cancelTask(id)
    } catch (problem) {
      state.value = { ...state.value, error: problem }
    }
  }
  if (task === undefined)
    return error === undefined ? <p class="quiet">{say('loading')}</p> : <Problem error={error} />
  return (
    <section class="card" aria-label={say('task')}>
      <div class="card-head">
        <h2>
          <span class={`badge status-${task.status}`}>{say(task.status)}</span> {task.description}
        </h2>
        {OPEN.has(task.status) && (
          <button type="button" onClick={cancel}>
            {say('cancel')}
          </button>
        )}
      </div>
      {error !== undefined && <Problem error={error} />}
      {approvals
        .filter(({ status }) => status === 'pending')
        .map((approval) => (
          <ApprovalForm key={approval.id} approval={approval} onDecide={decide} />
        ))}
      <Outcome title={say('outcome')} value={task.error ?? task.result} />
      <ScorePicture rounds={task.rounds} />
      {task.rounds.map((round) => (
        <RoundView key={round.round} round={round} />
      ))}
    </section>
  )
}

function Outcome({ title, value }: { readonly title: string; readonly value: JsonValue | undefined }) {
  if (value === undefined) return null
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <JsonView value={value} />
    </section>
  )
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
    for await (const { event } of api.followTask(id, signal)) {
      if (!/^(?:text|reasoning|usage|tool)\b/.test(event)) await refresh(api, id, state)
    }
    await refresh(api, id, state)
  } catch (error) {
    if (!signal.aborted) state.value = { ...state.peek(), error }
  }
}

async function refresh(api: ApiClient, id: string, state: Signal<TaskState>): Promise<void> {
  const [task, approvals] = await Promise.all([api.task(id), api.approvals(id)])
  state.value = { task, approvals: approvals.items }
}
