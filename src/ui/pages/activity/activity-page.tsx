import { useSignal } from '@preact/signals'
import type { SessionDetail, WireTaskSummary } from '../../api/shapes.js'
import { Problem } from '../../parts/problem.js'
import { useActivity } from '../../parts/use-activity.js'
import { type Shell, useShell } from '../../shell.js'
import { hrefOf } from '../../stores/route.js'
import { ApprovalForm } from '../chat/approval-form.js'
import { promptTalk } from '../chat/prompt-talk.js'

type Filter = 'all' | 'open'

/** The activity of agents and tasks: first what waits for a person, then sessions and tasks, the newest first. */
export function ActivityPage() {
  const shell = useShell()
  const { access, activity, api, say, work } = shell
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
  const empty = filter.value === 'open' ? 'nothingOpen' : undefined
  const shownSessions = sessions.value.filter(({ status }) => isShown(status))
  const shownTasks = tasks.value.filter(({ status }) => isShown(status))
  const chats = work
    .chats()
    .toReversed()
    .map((id) => chatOf(shell, id))
    .filter(({ status }) => isShown(status))
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
      <div class="columns activities">
        {access.may('agents') && (
          <section class="card" aria-labelledby="session-list">
            <h2 id="session-list">{say('sessions')}</h2>
            <ul class="task-list">
              {shownSessions.map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
            </ul>
            {shownSessions.length === 0 && <p class="quiet">{say(empty ?? 'noSessions')}</p>}
          </section>
        )}
        {access.may('chat') && (
          <section class="card" aria-labelledby="chat-list">
            <h2 id="chat-list">{say('chats')}</h2>
            <ul class="task-list">
              {chats.map((talk) => (
                <ChatRow key={talk.id} {...talk} />
              ))}
            </ul>
            {chats.length === 0 && <p class="quiet">{say(empty ?? 'noChats')}</p>}
          </section>
        )}
        {access.may('tasks') && (
          <section class="card" aria-labelledby="open-tasks">
            <h2 id="open-tasks">{say('tasks')}</h2>
            <ul class="task-list">
              {shownTasks.map((task) => (
                <TaskRow key={task.id} task={task} />
              ))}
            </ul>
            {shownTasks.length === 0 && <p class="quiet">{say(empty ?? 'noTasks')}</p>}
          </section>
        )}
      </div>
      {activity.hasMore.value && (
        <div class="actions">
          <button type="button" onClick={() => void activity.loadMore().catch(() => {})}>
            {say('showOlder')}
          </button>
        </div>
      )}
    </article>
  )
}

const OPEN: ReadonlySet<string> = new Set(['queued', 'running', 'waiting', 'paused'])

/** Whose question it is: the agent of the session, or the task. */
function OwnerLink(owner: { readonly session: string | undefined; readonly task: string | undefined }) {
  const { activity, say, tab } = useShell()
  const { session, task } = owner
  if (task !== undefined) {
    const found = activity.tasks.value.find(({ id }) => id === task)
    return <a href={hrefOf({ page: 'tasks', id: task })}>{found?.description ?? task}</a>
  }
  const agent = activity.sessions.value.find(({ id }) => id === session)?.agent
  // As high as the link that comes: no button moves away from under a pointer.
  if (session === undefined || agent === undefined) return <span class="quiet">{say('loading')}</span>
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
        <span class="quiet"> {say('turnsSince', { turn, time: timeOf(at, settings.language.value) })}</span>
      </a>
    </li>
  )
}

function timeOf(at: string, language: string): string {
  return new Date(at).toLocaleString(language, { dateStyle: 'short', timeStyle: 'short' })
}

interface ChatState {
  readonly id: string
  readonly status: 'running' | 'idle'
  readonly count: number
}

/** A chat with a prompt, as this tab has it. */
function chatOf(shell: Shell, id: string): ChatState {
  const { items, stop } = promptTalk(shell, shell.work.bench(id)).conversation
  const count = items.value.filter(({ kind }) => kind === 'said').length
  return { id, count, status: stop.value === undefined ? 'idle' : 'running' }
}

function ChatRow({ id, status, count }: ChatState) {
  const { say } = useShell()
  return (
    <li>
      <a href={hrefOf({ page: 'prompt', id, view: 'chat' })}>
        <span class={`badge status-${status}`}>{say(status)}</span> {id}
        <span class="quiet"> {say('messageCount', { count })}</span>
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
