import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CreateTaskBody, TaskParams, TasksQuery } from '../../schema/task-api.js'
import type { RecordAddress } from '../../state/contract/record-state.js'
import { isTerminalTaskEvent } from '../../tasks/task-event.js'
import type { NewTask, Tasks } from '../../tasks/tasks.js'
import { camelCase } from '../../util/text/camel-case.js'
import { assertScope } from '../doors/authentication.js'
import { ownerOf } from '../doors/owner.js'
import { assertServing } from '../listening/life-cycle.js'
import { idempotencyKeyOf } from '../requests/idempotency-key.js'
import { callOf } from '../requests/request-context.js'
import { PING_MS } from '../streams/event-stream.js'
import { answerFollowed } from '../streams/relay-events.js'

/** What queueing and showing tasks needs. */
export interface TaskDependencies {
  readonly tasks: Tasks
  /** How long a stream may be silent before a comment keeps it alive. Default 15 seconds. */
  readonly pingMs?: number | undefined
}

type OfTask = FastifyRequest<{ Params: TaskParams }>

/** Queues a task. @throws ServiceError `agent_not_found`, `idempotency_conflict`, `invalid_plan` */
export function createTask({ tasks }: TaskDependencies) {
  return async (request: FastifyRequest<{ Body: CreateTaskBody }>, reply: FastifyReply): Promise<object> => {
    assertServing(request.server)
    const task = await toNewTask(request)
    if (task.agent === undefined) assertScope(request, 'tools', 'a task without an agent')
    const { id } = await tasks.create(task, callOf(request))
    request.logFields = { task: id }
    reply.code(202).header('location', `/api/tasks/${id}`)
    return { id, status: 'queued', durable: tasks.durable }
  }
}

/** Lists the tasks of the caller. */
export function listTasks({ tasks }: TaskDependencies) {
  return (request: FastifyRequest<{ Querystring: TasksQuery }>): Promise<object> => {
    return tasks.list(ownerOf(request), request.query)
  }
}

/** Shows a task. @throws ServiceError `task_not_found` */
export function readTask({ tasks }: TaskDependencies) {
  return async (request: OfTask): Promise<object> => {
    return { ...(await tasks.read(taskOf(request))), durable: tasks.durable }
  }
}

/** Cancels a task. @throws ServiceError `task_not_found` */
export function cancelTask({ tasks }: TaskDependencies) {
  return (request: OfTask): Promise<object> => {
    return tasks.cancel(taskOf(request))
  }
}

/** Forgets a task that has ended. @throws ServiceError `task_busy` */
export function deleteTask({ tasks }: TaskDependencies) {
  return async (request: OfTask, reply: FastifyReply): Promise<void> => {
    await tasks.remove(taskOf(request))
    reply.code(204)
  }
}

/** Puts an open task into the queue again. @throws ServiceError `task_ended` */
export function resumeTask({ tasks }: TaskDependencies) {
  return (request: OfTask): Promise<object> => {
    return tasks.resume(taskOf(request))
  }
}

/** Streams the events of a task. @throws ServiceError `task_not_found` */
export function followTask({ tasks, pingMs = PING_MS }: TaskDependencies) {
  return (request: OfTask, reply: FastifyReply): Promise<FastifyReply> => {
    const address = taskOf(request)
    const path = `/api/tasks/${encodeURIComponent(address.id)}/events`
    return answerFollowed(request, reply, {
      pingMs,
      followed: { name: 'the task', path, facts: { task: address.id } },
      isLast: isTerminalTaskEvent,
      follow: (after, signal) => tasks.follow(address, after, signal),
    })
  }
}

/** The task a request is about, if it is its caller's. */
function taskOf(request: OfTask): RecordAddress {
  const { task } = request.params
  request.logFields = { task }
  return { kind: 'task', id: task, owner: ownerOf(request) }
}

async function toNewTask(request: FastifyRequest<{ Body: CreateTaskBody }>): Promise<NewTask> {
  const body = request.body
  const {
    id,
    description,
    agent,
    domain_knowledge: domainKnowledge = '',
    metadata = {},
    plan,
    config = {},
  } = body
  return {
    owner: ownerOf(request),
    id,
    description,
    metadata,
    domainKnowledge,
    agent,
    plan,
    config: camelCase(config),
    idempotency: await idempotencyKeyOf(request),
  }
}
