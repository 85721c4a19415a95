import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { streamOf } from '../../schema/streams.js'
import {
  CreateTaskBody,
  TaskAnswer,
  TaskParams,
  TaskStatusAnswer,
  TasksAnswer,
  TasksQuery,
} from '../../schema/task-api.js'
import { TaskEventShape } from '../../schema/task-events.js'
import type { RecordAddress } from '../../state/contract/record-state.js'
import { isTerminalTaskEvent } from '../../tasks/task-event.js'
import type { NewTask, Tasks } from '../../tasks/tasks.js'
import { camelCase } from '../../util/text/camel-case.js'
import { assertScope } from '../doors/authentication.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { ownerOf } from '../doors/owner.js'
import { assertServing } from '../listening/life-cycle.js'
import { operations } from '../openapi/operations.js'
import { idempotencyKeyOf } from '../requests/idempotency-key.js'
import { callOf } from '../requests/request-context.js'
import { PING_MS } from '../streams/event-stream.js'
import { answerFollowed } from '../streams/relay-events.js'
import { NO_CONTENT } from './session-operations.js'

export interface TaskRoutesOptions {
  readonly tasks: Tasks
  /** How long a stream may be silent before a comment keeps it alive. Default 15 seconds. */
  readonly pingMs?: number | undefined
}

const reads = operations('tasks', 400, 401, 403, 'task_not_found', 429, 500, 503)
const writes = operations(
  'tasks',
  ...([400, 401, 403, 413, 415, 429, 500, 503] as const),
  ...(['task_not_found', 'agent_not_found', 'task_busy', 'task_ended'] as const),
  ...(['idempotency_conflict', 'limit_exceeded'] as const),
)

type OfTask = FastifyRequest<{ Params: TaskParams }>

/** `/api/tasks`: work that is planned, carried out, judged, and planned again. */
export function taskRoutes({ tasks, pingMs = PING_MS }: TaskRoutesOptions): FastifyPluginAsync {
  async function createTask(
    request: FastifyRequest<{ Body: CreateTaskBody }>,
    reply: FastifyReply,
  ): Promise<object> {
    assertServing(request.server)
    const task = await toNewTask(request)
    if (task.agent === undefined) assertScope(request, 'tools', 'a task without an agent')
    const { id } = await tasks.create(task, callOf(request))
    request.logFields = { task: id }
    reply.code(202).header('location', `/api/tasks/${id}`)
    return { id, status: 'queued', durable: tasks.durable }
  }

  function listTasks(request: FastifyRequest<{ Querystring: TasksQuery }>): Promise<object> {
    return tasks.list(ownerOf(request), request.query)
  }

  async function readTask(request: OfTask): Promise<object> {
    return { ...(await tasks.read(taskOf(request))), durable: tasks.durable }
  }

  function cancelTask(request: OfTask): Promise<object> {
    return tasks.cancel(taskOf(request))
  }

  async function deleteTask(request: OfTask, reply: FastifyReply): Promise<void> {
    await tasks.remove(taskOf(request))
    reply.code(204)
  }

  function resumeTask(request: OfTask): Promise<object> {
    return tasks.resume(taskOf(request))
  }

  function followTask(request: OfTask, reply: FastifyReply): Promise<FastifyReply> {
    const address = taskOf(request)
    const path = `/api/tasks/${encodeURIComponent(address.id)}/events`
    return answerFollowed(request, reply, {
      pingMs,
      followed: { name: 'the task', path, facts: { task: address.id } },
      isLast: isTerminalTaskEvent,
      follow: (after, signal) => tasks.follow(address, after, signal),
    })
  }

  return async (server) => {
    needsScopes(server, 'tasks')
    const params = TaskParams
    server.post(
      '/api/tasks',
      writes(
        'createTask',
        'Queue a task: it is planned, executed step by step, evaluated, and planned again',
        {
          description:
            'Answers at once; follow it at `GET …/events`. With `Idempotency-Key` a repeated request returns the same task, for 24 hours. Without Redis a task is lost when the process ends.',
          body: CreateTaskBody,
          response: { 202: TaskStatusAnswer },
        },
      ),
      createTask,
    )
    server.get(
      '/api/tasks',
      reads('listTasks', 'List the caller’s tasks, most recently used first', {
        description: 'A task belongs to the key that created it; only those are listed.',
        querystring: TasksQuery,
        response: { 200: TasksAnswer },
      }),
      listTasks,
    )
    server.get(
      '/api/tasks/:task',
      reads('getTask', 'Read a task: its rounds, plans, steps, evaluations and result', {
        description: 'At any time: a running task shows what it has done so far.',
        params,
        response: { 200: TaskAnswer },
      }),
      readTask,
    )
    server.get(
      '/api/tasks/:task/events',
      reads('followTask', 'Follow a task, on any replica', {
        description:
          'From its first event, or after `Last-Event-ID`, to its last, `task.<status>`. `event: gap` says that events before the next one are gone.',
        params,
        response: { 200: streamOf(TaskEventShape) },
      }),
      followTask,
    )
    const one = { params, response: { 200: TaskStatusAnswer } }
    server.post(
      '/api/tasks/:task/cancel',
      writes('cancelTask', 'Cancel a task, on any replica', {
        description: 'A step that runs is stopped. A task that has ended stays as it is.',
        ...one,
      }),
      cancelTask,
    )
    server.delete(
      '/api/tasks/:task',
      writes('deleteTask', 'Delete a task that has ended', {
        description:
          'With its plans, results, events and approvals. A task that has not ended is 409: cancel it first.',
        params,
        response: NO_CONTENT,
      }),
      deleteTask,
    )
    server.post(
      '/api/tasks/:task/resume',
      writes('resumeTask', 'Requeue an open task', {
        description:
          'For a task that the queue has lost. It continues where it was; one that has ended is 409 `task_ended`.',
        ...one,
      }),
      resumeTask,
    )
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
