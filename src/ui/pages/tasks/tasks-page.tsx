import { Problem } from '../../parts/problem.js'
import { useActivity } from '../../parts/use-activity.js'
import { useShell } from '../../shell.js'
import { hrefOf } from '../../stores/route.js'
import { TaskForm } from './task-form.js'
import { TaskView } from './task-view.js'

/** All tasks, a form for a new one, and the one that is open. */
export function TasksPage({ id }: { readonly id: string | undefined }) {
  const { activity, say, settings } = useShell()
  const { error } = useActivity(id, settings.key.value)
  const tasks = activity.tasks.value
  return (
    <article>
      <header class="entry-head">
        <a class="back" href={hrefOf({ page: 'start' })}>
          ← {say('backToList')}
        </a>
        <h1>{say('tasks')}</h1>
      </header>
      {error !== undefined && <Problem error={error} />}
      <div class="columns tasks">
        <div class="column">
          <TaskForm />
          <section class="card" aria-labelledby="task-list">
            <h2 id="task-list">{say('allTasks')}</h2>
            {tasks.length === 0 && <p class="quiet">{say('noTasks')}</p>}
            <ul class="task-list">
              {tasks.map((task) => (
                <li key={task.id}>
                  <a
                    href={hrefOf({ page: 'tasks', id: task.id })}
                    aria-current={task.id === id ? 'page' : undefined}
                  >
                    <span class={`badge status-${task.status}`}>{say(task.status)}</span> {task.description}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        </div>
        <div class={id === undefined ? 'column' : 'column opened'}>
          {id === undefined ? <p class="card quiet">{say('taskAbout')}</p> : <TaskView key={id} id={id} />}
        </div>
      </div>
    </article>
  )
}
