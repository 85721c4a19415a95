import { useSignal } from '@preact/signals'
import type { SessionDetail, WireTaskSummary } from '../../api/shapes.js'
import { Problem } from '../../parts/problem.js'
import { useActivity } from '../../parts/use-activity.js'
import { useShell } from '../../shell.js'
import { hrefOf } from '../../stores/route.js'
import { ApprovalForm } from '../chat/approval-form.js'

type Filter = 'all' | 'open'

/** What is going on with agents and tasks: first what waits for a person, then sessions and tasks, the newest first. */
export function ActivityPage() {
  const { access, activity, api, say } = useShell()
  const filter = useSignal<Filter>('all')
  const error = useSignal<unknown>(undefined)
  const { approvals, sessions, tasks } = activity
  const loaded = useActivity()
  const decide = async (approval: string, decision: Parameters<typeof api.decide>[1]) => {
    try {
      await api.decide(approval, decision)
      error.value = undefined
      await activity.load()
    } catch (problem) {
      error.value = problem
    }
  }
  const isShown = (status: string) => filter.value === 'all' || OPEN.has(status)
  return (
    <article>
      <header class="entry-head">
        <a class="back" href={hrefOf({ page: 'start' })}>
          ← {say('backToList')}
        </a>
        <h1>{say('activity')}</h1>
      </header>
      {(error.value ?? loaded.error) !== undefined && <Problem error={error.value ?? loaded.error} />}
      <section class="card" aria-labelledby="inbox">
        <h2 id="inbox">{say('waitsForYou')}</h2>
        {approvals.value.length === 0 && <p class="quiet">{say('nothingWaits')}</p>}
        {approvals.value.map((approval) => (
          <div key={approval.id} class="inbox-row">
            <OwnerLink session={approval.session} task={approval.task} />
            <ApprovalForm approval={approval} onDecide={decide} />
          </div>
        ))}
      </section>
      <fieldset class="kinds filter">
        <legend class="visually-hidden">{say('filter')}</legend>
        {(['all', 'open'] as const).map((each) => (
          <label key={each} class={each === filter.value ? 'chosen' : ''}>
            <input
              type="radio"
              name="filter"
              class="visually-hidden"
              checked={each === filter.value}
              onChange={() => {
                filter.value = each
              }}
            />
            {say(each)}
          </label>
        ))}
      </fieldset>
      <div class="columns">
        {access.may('agents') && (
          <section class="card" aria-labelledby="session-list">
            <h2 id="session-list">{say('sessions')}</h2>
            <ul class="task-list">
              {sessions.value
                .filter(({ status }) => isShown(status))
                .map((session) => (
                  <SessionRow key={session.id} session={session} />
                ))}
            </ul>
          </section>
        )}
        {access.may('tasks') && (
          <section class="card" aria-labelledby="open-tasks">
            <h2 id="open-tasks">{say('tasks')}</h2>
            <ul class="task-list">
              {tasks.value
                .filter(({ status }) => isShown(status))
                .map((task) => (
                  <TaskRow key={task.id} task={task} />
                ))}
            </ul>
          </section>
        )}
      </div>
    </article>
  )
}

const OPEN: ReadonlySet<string> = new Set(['queued', 'running', 'waiting', 'paused'])

/** Whose question it is: the agent of the session, or the task. */
function OwnerLink(owner: { readonly session: string | undefined; readonly task: string | undefined }) {
  const { activity, tab } = useShell()
  const { session, task } = owner
  if (task !== undefined) {
    const found = activity.tasks.value.find(({ id }) => id === task)
    return <a href={hrefOf({ page: 'tasks', id: task })}>{found?.description ?? task}</a>
  }
  const agent = activity.sessions.value.find(({ id }) => id === session)?.agent
  if (session === undefined || agent === undefined) return null
  return (
    <a href={hrefOf({ page: 'agent', id: agent })} onClick={() => tab.setItem(`session ${agent}`, session)}>
      {agent}
    </a>
  )
}

function SessionRow({ session }: { readonly session: SessionDetail }) {
  const { say, settings, tab, work } = useShell()
  const { id, agent, status, turn, created_at: at } = session
  const open = () => {
    tab.setItem(`session ${agent}`, id)
    work.talks.get(`agent ${agent}`)?.open(id)
  }
  return (
    <li>
      <a href={hrefOf({ page: 'agent', id: agent })} onClick={open}>
        <span class={`badge status-${status === 'paused' ? 'waiting' : status}`}>
          {say(status === 'paused' ? 'waiting' : status)}
        </span>{' '}
        {agent}
        <span class="quiet">
          {' '}
          {say('turnsSince', { turn, time: new Date(at).toLocaleString(settings.language.value) })}
        </span>
      </a>
    </li>
  )
}

function TaskRow({ task }: { readonly task: WireTaskSummary }) {
  const { say } = useShell()
  return (
    <li>
      <a href={hrefOf({ page: 'tasks', id: task.id })}>
        <span class={`badge status-${task.status}`}>{say(task.status)}</span> {task.description}
      </a>
    </li>
  )
}
