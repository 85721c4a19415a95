import { useSignal } from '@preact/signals'
import { Problem } from '../../parts/problem.js'
import { useShell } from '../../shell.js'
import { hrefOf } from '../../stores/route.js'

/** Begins a task. */
export function TaskForm() {
  const { activity, api, say, catalog, work } = useShell()
  const description = work.text('task')
  const agent = work.text('agent of task')
  const error = useSignal<unknown>(undefined)
  const isSending = useSignal(false)
  const begin = async (event: Event) => {
    event.preventDefault()
    // A second click is the same wish.
    if (isSending.peek()) return
    isSending.value = true
    try {
      const body = { description: description.value, ...(agent.value !== '' && { agent: agent.value }) }
      const { id } = await api.createTask(body)
      error.value = undefined
      description.value = ''
      await activity.load()
      window.location.hash = hrefOf({ page: 'tasks', id })
    } catch (problem) {
      error.value = problem
    }
    isSending.value = false
  }
  return (
    <section class="card" aria-labelledby="new-task">
      <h2 id="new-task">{say('newTask')}</h2>
      <form class="form" onSubmit={begin}>
        <label class="field">
          {say('taskDescription')}
          <textarea
            rows={3}
            required
            value={description.value}
            onInput={({ currentTarget }) => {
              description.value = currentTarget.value
            }}
          />
        </label>
        <label class="field">
          {say('taskAgent')}
          <select
            value={agent.value}
            onChange={({ currentTarget }) => {
              agent.value = currentTarget.value
            }}
          >
            <option value="">{say('noAgent')}</option>
            {catalog.shelves.agent.entries.value.map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        </label>
        <div class="actions">
          <button type="submit" class="primary" disabled={isSending.value}>
            {say('begin')}
          </button>
        </div>
      </form>
      {error.value !== undefined && <Problem error={error.value} />}
    </section>
  )
}
