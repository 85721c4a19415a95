import { anyObject, closedObject, looseObject } from './any-object.js'
import { Failure } from './failure.js'
import { openEnum } from './open-enum.js'
import { optional } from './optional.js'
import { TokenUsage } from './session-api.js'
import { TASK_STATUSES, TaskResult, TaskRound } from './task-work.js'
import { type Static, Type } from './type.js'

const TaskId = Type.String({ pattern: '^[A-Za-z0-9._-]{1,100}$', description: 'Of a task' })

export const TaskParams = Type.Object({
  task: Type.String({ ...TaskId, examples: ['0f8e5c1e-6d0b-4c59-9d53-6a1c1c6f8a11'] }),
})
export type TaskParams = Static<typeof TaskParams>

export const TasksQuery = Type.Object({
  limit: optional.integer('Items per page', { minimum: 1, maximum: 1_000, default: 100 }),
  cursor: optional.text('`next_cursor` of the page before'),
})
export type TasksQuery = Static<typeof TasksQuery> & { readonly limit: number }

const Count = (description: string, maximum: number, minimum = 0) =>
  optional.integer(description, { minimum, maximum })

/** How a task is carried out. */
export const TaskConfigBody = closedObject(
  {
    max_reflection_rounds: Count('Maximum number of rounds; default 5', 100, 1),
    task_timeout_secs: optional.number(
      'Time limit, not counting the time it waits for approvals; default `TASK_TIMEOUT_MS`',
      { exclusiveMinimum: 0, maximum: 2_000_000 },
    ),
    enable_auto_reflection: optional.flag('Reflect and plan again after an evaluation; default true'),
    success_threshold: optional.number(
      'Overall score at which a successful round ends the task; default 80',
      { minimum: 0, maximum: 100 },
    ),
    enable_step_level_reflection: optional.flag(
      'Ask a model what to change before a step is repeated; default true',
    ),
    max_step_retries: Count('Maximum number of further attempts of a step; default 3', 20),
    max_task_replanning_attempts: Count('Further plans of a round when one is refused; default 1', 20),
    max_consecutive_failures: Count('Number of failed rounds in a row that ends the task; default 3', 100, 1),
    require_success: optional.flag(
      'A high correctness ends the task only if every step succeeded; default false',
    ),
  },
  { title: 'TaskConfig', description: 'How a task is carried out' },
)
export type TaskConfigBody = Static<typeof TaskConfigBody>

/** Body of `POST /api/tasks`. */
export const CreateTaskBody = closedObject(
  {
    description: Type.String({ minLength: 1, maxLength: 100_000, description: 'Description of the task' }),
    id: Type.Optional(
      Type.String({ ...TaskId, description: 'Its id; default: a random one. An id that is taken is 409' }),
    ),
    metadata: Type.Optional(
      anyObject({
        description:
          'Facts of the task; required parameters of steps that the plan leaves out are filled from it',
      }),
    ),
    agent: optional.text('Agent that executes it; default: the model with all tools of the catalog', {
      minLength: 1,
      maxLength: 512,
    }),
    domain_knowledge: optional.text('What a planner should know about the field', { maxLength: 100_000 }),
    plan: Type.Optional(
      anyObject({ description: 'The first round’s plan: `{steps: […]}`, checked at once' }),
    ),
    config: Type.Optional(TaskConfigBody),
  },
  {
    title: 'CreateTaskRequest',
    examples: [{ description: 'Forecast the load of next week', metadata: { region: 'north' } }],
  },
)
export type CreateTaskBody = Static<typeof CreateTaskBody>

const Durable = Type.Boolean({
  description: 'false: state is in memory, and the task is lost when the process ends',
})

/** A task that was queued, cancelled or resumed. */
export const TaskStatusAnswer = looseObject(
  {
    id: TaskId,
    status: openEnum(TASK_STATUSES, 'How far it is, or how it ended'),
    durable: Type.Optional(Durable),
  },
  { title: 'TaskState', description: 'A task that was queued, cancelled or resumed' },
)

/** A task in lists. */
export const TaskSummaryAnswer = looseObject(
  {
    id: TaskId,
    status: openEnum(TASK_STATUSES, 'How far it is, or how it ended'),
    description: Type.String({ description: 'What is to be done' }),
    agent: optional.text('Agent that executes it; absent: the model with all tools of the catalog'),
    created_at: Type.String({ description: 'ISO 8601' }),
    expires_at: optional.text('When the task is deleted; absent before its end'),
  },
  { title: 'TaskSummary', description: 'A task in lists' },
)

/** A task with its rounds. */
export const TaskAnswer = looseObject(
  {
    ...TaskSummaryAnswer.properties,
    durable: Durable,
    metadata: anyObject({ description: 'Facts of the task' }),
    usage: Type.Optional(TokenUsage),
    cost: optional.number('So far, in the currency of the configured prices'),
    result: Type.Optional(TaskResult),
    error: Type.Optional(Failure),
    rounds: Type.Array(TaskRound, { description: 'As far as they are' }),
  },
  { title: 'Task', description: 'A task with its rounds' },
)

export const TasksAnswer = looseObject(
  {
    items: Type.Array(TaskSummaryAnswer, { description: 'Of this page' }),
    total: Type.Integer({ description: 'How many there are, on all pages' }),
    next_cursor: optional.text('`cursor` of the next page; absent on the last one'),
  },
  { title: 'TaskPage' },
)
