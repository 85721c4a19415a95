import type { PinnedAgent } from '../agents/prepared-agent.js'
import type { TASK_STATUSES } from '../schema/task-work.js'
import type { RecordView } from '../state/contract/record-state.js'
import { readStored } from '../state/read-stored.js'
import { isJsonObject, type JsonObject, own } from '../util/json/json.js'
import type { TaskEndedBy } from './next-phase.js'
import { readPlan } from './parse-plan.js'
import { DEFAULT_TASK_CONFIG } from './task-config.js'
import type { TaskRequest } from './task-setup.js'

/** The status of a task. */
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** What lists show of a task, beside what the store itself knows. */
export interface TaskHead {
  readonly description: string
  readonly agent?: string
  /** Where the store does not know it: waiting or only given back, and how it ended. */
  readonly status: TaskStatus
  readonly endedBy?: TaskEndedBy
}

/** What a task was created with: as it was sent, and the prompts that the catalog had then. */
export interface TaskInput extends Omit<TaskRequest, 'plan'> {
  readonly agent?: string
  /** The agent as it was when the task began. */
  readonly pinned?: PinnedAgent
  /** As it was given. */
  readonly plan?: JsonObject
  /** Documents of `planner.*` by name, in place of the built-in ones. */
  readonly prompts: JsonObject
}

/** @throws ServiceError `state_unreadable` if the stored value is malformed */
export function readTaskHead(head: JsonObject): TaskHead {
  return readStored(head, isHead, 'head of the task')
}

/** @throws ServiceError `state_unreadable` if the stored value is malformed */
export function readTaskInput(input: JsonObject): TaskInput {
  return readStored(input, isInput, 'input of the task')
}

function isHead(value: object): value is TaskHead {
  return (
    isJsonObject(value) && typeof value['description'] === 'string' && typeof value['status'] === 'string'
  )
}

function isInput(value: object): value is TaskInput {
  if (!isJsonObject(value)) return false
  const { description, metadata, config, prompts } = value
  return typeof description === 'string' && [metadata, config, prompts].every(isJsonObject)
}

/** The task that an input describes. */
export function toTaskRequest({
  description,
  metadata,
  domainKnowledge,
  plan,
  config,
}: TaskInput): TaskRequest {
  return {
    description,
    metadata,
    domainKnowledge,
    ...(plan !== undefined && { plan: readPlan(plan, description) }),
    config: { ...DEFAULT_TASK_CONFIG, ...config },
  }
}

/** The status of a task, from the store and from its head. */
export function statusOf({ status, head }: RecordView): TaskStatus {
  if (status === 'queued' || status === 'running') return status
  // Nobody runs it for the moment; somebody will.
  if (status === 'interrupted') return 'running'
  return readTaskHead(head).status
}

/** The documents of an input, those that are some. */
export function pinnedDocuments({ prompts }: TaskInput): ReadonlyMap<string, JsonObject> {
  return new Map(
    Object.keys(prompts).flatMap((name) => {
      const document = own(prompts, name)
      return isJsonObject(document) ? [[name, document] as const] : []
    }),
  )
}
