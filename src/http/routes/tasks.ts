import type { FastifyPluginAsync } from 'fastify'
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
import { needsScopes } from '../doors/needs-scopes.js'
import {
  cancelTask,
  createTask,
  deleteTask,
  followTask,
  listTasks,
  readTask,
  resumeTask,
  type TaskDependencies,
} from '../handlers/tasks.js'
import { operations } from '../openapi/operations.js'
import { NO_CONTENT } from './session-operations.js'

const reads = operations('tasks', 400, 401, 403, 'task_not_found', 429, 500, 503)
const writes = operations(
  'tasks',
  ...([400, 401, 403, 413, 415, 429, 500, 503] as const),
  ...(['task_not_found', 'agent_not_found', 'task_busy', 'task_ended'] as const),
  ...(['idempotency_conflict', 'limit_exceeded'] as const),
)

const params = TaskParams

const CREATE_TASK = writes(
  'createTask',
  'Queue a task: it is planned, executed step by step, evaluated, and planned again',
  {
    description:
      'Answers at once; follow it at `GET …/events`. With `Idempotency-Key` a repeated request returns the same task, for 24 hours. Without Redis a task is lost when the process ends.',
    body: CreateTaskBody,
    response: { 202: TaskStatusAnswer },
  },
)

const LIST_TASKS = reads('listTasks', 'List the caller’s tasks, most recently used first', {
  description: 'A task belongs to the key that created it; only those are listed.',
  querystring: TasksQuery,
  response: { 200: TasksAnswer },
})

const READ_TASK = reads('getTask', 'Read a task: its rounds, plans, steps, evaluations and result', {
  description: 'At any time: a running task shows what it has done so far.',
  params,
  response: { 200: TaskAnswer },
})

const FOLLOW_TASK = reads('followTask', 'Follow a task, on any replica', {
  description:
    'From its first event, or after `Last-Event-ID`, to its last, `task.<status>`. `event: gap` says that events before the next one are gone.',
  params,
  response: { 200: streamOf(TaskEventShape) },
})

const one = { params, response: { 200: TaskStatusAnswer } }

const CANCEL_TASK = writes('cancelTask', 'Cancel a task, on any replica', {
  description: 'A step that runs is stopped. A task that has ended stays as it is.',
  ...one,
})

const DELETE_TASK = writes('deleteTask', 'Delete a task that has ended', {
  description:
    'With its plans, results, events and approvals. A task that has not ended is 409: cancel it first.',
  params,
  response: NO_CONTENT,
})

const RESUME_TASK = writes('resumeTask', 'Requeue an open task', {
  description:
    'For a task that the queue has lost. It continues where it was; one that has ended is 409 `task_ended`.',
  ...one,
})

/** `/api/tasks`: work that is planned, carried out, judged, and planned again. */
export function taskRoutes(dependencies: TaskDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'tasks')
    server.post('/api/tasks', CREATE_TASK, createTask(dependencies))
    server.get('/api/tasks', LIST_TASKS, listTasks(dependencies))
    server.get('/api/tasks/:task', READ_TASK, readTask(dependencies))
    server.get('/api/tasks/:task/events', FOLLOW_TASK, followTask(dependencies))
    server.post('/api/tasks/:task/cancel', CANCEL_TASK, cancelTask(dependencies))
    server.delete('/api/tasks/:task', DELETE_TASK, deleteTask(dependencies))
    server.post('/api/tasks/:task/resume', RESUME_TASK, resumeTask(dependencies))
  }
}
