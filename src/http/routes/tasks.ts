import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.js'
import { statusAnswers } from '../../schema/error-answers.js'
import { EventsAnswer } from '../../schema/session-api.js'
import {
  CreateTaskBody,
  TaskAnswer,
  type TaskConfigBody,
  TaskParams,
  TaskStatusAnswer,
  TasksAnswer,
  TasksQuery,
} from '../../schema/task-api.js'
import type { RecordAddress } from '../../state/state-store.js'
import type { TaskConfig } from '../../tasks/task-config.js'
import type { NewTask, Tasks } from '../../tasks/tasks.js'
import { named } from '../../util/named.js'
import { assertScope } from '../authentication.js'
import { EVENT_STREAM_HEADERS, EventStream, PING_MS } from '../event-stream.js'
import { idempotencyKeyOf } from '../idempotency-key.js'
import { needsScopes } from '../needs-scopes.js'
import { ownerOf } from '../owner.js'
import { lastEventId, relayEvents } from '../relay-events.js'
import { callOf } from '../request-context.js'

export interface TaskRoutesOptions {
  readonly tasks: Tasks
  /** How long a stream may be silent before a comment keeps it alive. Default 15 seconds. */
  readonly pingMs?: number | undefined
}

const READ = statusAnswers(400, 401, 403, 404, 429, 500, 503)
const WRITE = statusAnswers(400, 401, 403, 404, 409, 413, 415, 429, 500, 503)

const CONFIG: Readonly<Record<keyof TaskConfigBody, keyof TaskConfig>> = {
  max_reflection_rounds: 'maxReflectionRounds',
  task_timeout_secs: 'taskTimeoutSecs',
  enable_auto_reflection: 'enableAutoReflection',
  success_threshold: 'successThreshold',
  enable_step_level_reflection: 'enableStepLevelReflection',
  max_step_retries: 'maxStepRetries',
  max_task_replanning_attempts: 'maxTaskReplanningAttempts',
  max_consecutive_failures: 'maxConsecutiveFailures',
  require_success: 'requireSuccess',
}

/** `/api/tasks`: work that is planned, carried out, judged, and planned again. */
export function taskRoutes({ tasks, pingMs = PING_MS }: TaskRoutesOptions): FastifyPluginAsync {
  async function createTask(
    request: FastifyRequest<{ Body: CreateTaskBody }>,
    reply: FastifyReply,
  ): Promise<object> {
    if (request.server.draining) throw new ServiceError('not_ready', 'The service is shutting down')
    const task = toNewTask(request)
    if (task.agent === undefined) assertScope(request, 'tools', 'a task without an agent')
    const { id } = await tasks.create(task, callOf(request))
    request.logFields = { task: id }
    reply.code(202).header('location', `/api/tasks/${id}`)
    return { id, status: 'queued', durable: tasks.durable }
  }

  function listTasks(request: FastifyRequest<{ Querystring: TasksQuery }>): Promise<object> {
    return tasks.list(ownerOf(request), request.query)
  }

  async function readTask(request: FastifyRequest<{ Params: TaskParams }>): Promise<object> {
    return { ...(await tasks.read(taskOf(request))), durable: tasks.durable }
  }

  function cancelTask(request: FastifyRequest<{ Params: TaskParams }>): Promise<object> {
    return tasks.cancel(taskOf(request))
  }

  function resumeTask(request: FastifyRequest<{ Params: TaskParams }>): Promise<object> {
    return tasks.resume(taskOf(request))
  }

  async function followTask(
    request: FastifyRequest<{ Params: TaskParams }>,
    reply: FastifyReply,
  ): Promise<unknown> {
    if (request.server.draining) throw new ServiceError('not_ready', 'The service is shutting down')
    const gone = new AbortController()
    const events = await tasks.follow(taskOf(request), lastEventId(request), gone.signal)
    // HEAD asks what GET would say, and a stream has no end to wait for.
    if (request.method === 'HEAD') return reply.headers(EVENT_STREAM_HEADERS).send()
    const reader = new EventStream(request, reply, { pingMs, endless: true })
    reader.signal.addEventListener('abort', () => gone.abort(), { once: true })
    await relayEvents(events, reader)
    return reply
  }

  return async (server) => {
    needsScopes(server, 'tasks')
    const tags = ['tasks']
    const one = { tags, params: TaskParams }
    server.post(
      '/api/tasks',
      {
        schema: {
          tags,
          operationId: 'createTask',
          summary: 'Queue a task: it is planned, carried out step by step, judged, and planned again',
          description:
            'Answers at once; `GET …/events` tells what happens. With `Idempotency-Key` the same request is the same task, for 24 hours. Without Redis a task is lost when the process ends.',
          body: CreateTaskBody,
          response: { 202: TaskStatusAnswer, ...WRITE },
        },
      },
      createTask,
    )
    server.get(
      '/api/tasks',
      {
        schema: {
          tags,
          operationId: 'listTasks',
          summary: 'List the caller’s tasks, those used last first',
          querystring: TasksQuery,
          response: { 200: TasksAnswer, ...READ },
        },
      },
      listTasks,
    )
    server.get(
      '/api/tasks/:task',
      {
        schema: {
          ...one,
          operationId: 'getTask',
          summary: 'Read a task: its rounds, plans, steps, judgements and result',
          response: { 200: TaskAnswer, ...READ },
        },
      },
      readTask,
    )
    server.get(
      '/api/tasks/:task/events',
      {
        schema: {
          ...one,
          operationId: 'followTask',
          summary: 'Follow a task, on any replica',
          description:
            'From its first event, or after `Last-Event-ID`, to its last, `task.<status>`. `event: gap` says that events before the next one are gone.',
          response: { 200: EventsAnswer, ...READ },
        },
      },
      followTask,
    )
    server.post(
      '/api/tasks/:task/cancel',
      {
        schema: {
          ...one,
          operationId: 'cancelTask',
          summary: 'End a task, wherever it runs; one that has ended stays as it is',
          response: { 200: TaskStatusAnswer, ...WRITE },
        },
      },
      cancelTask,
    )
    server.post(
      '/api/tasks/:task/resume',
      {
        schema: {
          ...one,
          operationId: 'resumeTask',
          summary: 'See that an open task is in the queue',
          response: { 200: TaskStatusAnswer, ...WRITE },
        },
      },
      resumeTask,
    )
  }
}

/** The task a request is about, if it is its caller's. */
function taskOf(request: FastifyRequest<{ Params: TaskParams }>): RecordAddress {
  const { task } = request.params
  request.logFields = { task }
  return { kind: 'task', id: task, owner: ownerOf(request) }
}

function toNewTask(request: FastifyRequest<{ Body: CreateTaskBody }>): NewTask {
  const body = request.body
  const {
    description,
    agent,
    domain_knowledge: domainKnowledge = '',
    metadata = {},
    plan,
    config = {},
  } = body
  return {
    owner: ownerOf(request),
    description,
    metadata,
    domainKnowledge,
    agent,
    plan,
    config: toConfig(config),
    idempotency: idempotencyKeyOf(request),
  }
}

function toConfig(config: TaskConfigBody): Partial<TaskConfig> {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [named(CONFIG, name), value]))
}
