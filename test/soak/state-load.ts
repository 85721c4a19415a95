import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Exchange, exchange, OUTAGES, send } from './exchange.js'
import type { World } from './world.js'

const POLL_MS = 200
const TASK_PATIENCE_MS = 120_000
const RUNNING: readonly unknown[] = ['queued', 'running', 'waiting']

/** A session, one turn that calls a tool, and its end. */
export async function converse(world: World, count: number): Promise<Exchange> {
  const name = `a${count}`
  const created = await send(world, 'POST', '/api/sessions', { agent: 'soak.helper' })
  const id = fieldOf(created, 'id')
  if (id === undefined) return exchange(created.status, OUTAGES.includes(created.status), created.body)
  const turn = await send(world, 'POST', `/api/sessions/${id}/turns`, { input: name })
  await send(world, 'DELETE', `/api/sessions/${id}`)
  if (turn.status !== 200) return exchange(turn.status, OUTAGES.includes(turn.status), turn.body)
  return exchange(200, JSON.stringify(turn.body).includes(`the tool said <${name}>`), turn.body)
}

/** A task whose one step calls a tool, until it has ended. */
export async function work(world: World, count: number): Promise<Exchange> {
  const name = `k${count}`
  const created = await send(world, 'POST', '/api/tasks', {
    description: 'say it',
    agent: 'soak.helper',
    plan: {
      steps: [{ step_id: 'say', description: 'say it', tool_id: 'soak_say', parameters: { text: name } }],
    },
    config: { enable_auto_reflection: false },
  })
  const id = fieldOf(created, 'id')
  if (id === undefined) return exchange(created.status, OUTAGES.includes(created.status), created.body)
  const end = performance.now() + TASK_PATIENCE_MS
  while (performance.now() < end) {
    await sleep(POLL_MS)
    const task = await send(world, 'GET', `/api/tasks/${id}`)
    const status = fieldOf(task, 'status')
    if (OUTAGES.includes(task.status) || RUNNING.includes(status)) continue
    const isRight =
      status === 'completed' ? JSON.stringify(task.body).includes(`<${name}>`) : status === 'failed'
    return exchange(`${task.status} ${status}`, isRight, task.body)
  }
  return exchange('no end', false, id)
}

function fieldOf({ body }: Answer, name: string): unknown {
  return (body as Readonly<Record<string, unknown>> | undefined)?.[name]
}
