import { randomUUID } from 'node:crypto'
import { createParser } from 'eventsource-parser'
import { buildApp } from '../app.js'
import { loadConfig } from '../config.js'
import { ServiceError } from '../errors.js'
import type { TaskEvent } from '../tasks/task-event.js'
import { isJsonObject, type JsonObject, own, parseJson } from '../util/json.js'
import { textField } from '../util/json-fields.js'
import { createLogger } from '../util/logger.js'
import type { CliContext } from './command.js'
import type { ServerAddress } from './server-option.js'
import { unreachable } from './unreachable.js'

/** What a task is made of on the command line. */
export interface TaskOrder {
  readonly description: string
  readonly agent?: string
  readonly metadata: JsonObject
}

/** Where tasks are made and followed: in this process, or at a server. */
export interface TaskSource {
  create(order: TaskOrder): Promise<string>
  follow(id: string): AsyncIterable<TaskEvent>
  /** Asks it to end; answers how it stands. */
  cancel(id: string): Promise<string>
  close(): Promise<void>
}

/** Owner of tasks that nobody's key made. */
const NOBODY = '-'

/** Tasks of this process, with the configured catalog and state. */
export async function openLocalTasks(context: CliContext): Promise<TaskSource> {
  const config = loadConfig({ environment: context.environment })
  const app = await buildApp(config, { logger: createLogger('error') })
  const call = Object.freeze({ requestId: randomUUID(), signal: new AbortController().signal })
  return {
    async create({ description, agent, metadata }) {
      await app.registry.whenReady()
      const order = { owner: NOBODY, description, agent, metadata, domainKnowledge: '', config: {} }
      return (await app.tasks.create(order, call)).id
    },
    async *follow(id) {
      const address = { kind: 'task', id, owner: NOBODY } as const
      for await (const item of await app.tasks.follow(address, undefined, call.signal))
        if (item.kind === 'event') yield readEvent(item.json)
    },
    cancel: async (id) => (await app.tasks.cancel({ kind: 'task', id, owner: NOBODY })).status,
    close: () => app.close(),
  }
}

/** Tasks of a server. */
export function openRemoteTasks({ url, key }: ServerAddress): TaskSource {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(new URL(path, url), {
      ...init,
      headers: { ...headers, ...init.headers },
    }).catch((error: unknown) => Promise.reject(unreachable(url, error)))
    if (!response.ok) throw await failureOf(response)
    return response
  }
  return {
    async create(order) {
      const response = await ask('/api/tasks', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(order),
      })
      const made: unknown = await response.json()
      return (isJsonObject(made) && textField(made, 'id')) || ''
    },
    async *follow(id) {
      const response = await ask(`/api/tasks/${encodeURIComponent(id)}/events`)
      const found: TaskEvent[] = []
      const parser = createParser({ onEvent: ({ data }) => void found.push(readEvent(data)) })
      const decoder = new TextDecoder()
      for await (const bytes of response.body ?? []) {
        parser.feed(decoder.decode(bytes, { stream: true }))
        yield* found.splice(0)
      }
    },
    async cancel(id) {
      const response = await ask(`/api/tasks/${encodeURIComponent(id)}/cancel`, { method: 'POST' })
      const task: unknown = await response.json()
      return (isJsonObject(task) && textField(task, 'status')) || 'unknown'
    },
    close: async () => {},
  }
}

/** What the service wrote, as the service's own type. */
function readEvent(text: string): TaskEvent {
  return parseJson(text) as unknown as TaskEvent
}

async function failureOf(response: Response): Promise<Error> {
  const text = await response.text()
  try {
    const body = parseJson(text)
    const error = isJsonObject(body) ? own(body, 'error') : undefined
    if (isJsonObject(error))
      return new Error(`${String(own(error, 'code'))}: ${String(own(error, 'message'))}`)
  } catch {
    // Somebody else's words.
  }
  return new ServiceError('not_ready', `the server answered ${response.status}`)
}
