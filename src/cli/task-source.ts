import { randomUUID } from 'node:crypto'
import { buildApp } from '../app.js'
import type { TaskEvent } from '../tasks/task-event.js'
import { type JsonObject, parseJson } from '../util/json/json.js'
import { textField } from '../util/json/json-fields.js'
import { createLogger } from '../util/telemetry/logger.js'
import { loadCatalogConfig } from './catalog-source.js'
import type { CliContext } from './command.js'
import { OWNER } from './local-agents.js'
import { eventsOf, ServerConnection } from './server-connection.js'
import type { ServerAddress } from './server-option.js'

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
  /** Requests cancellation; returns the task's status. */
  cancel(id: string): Promise<string>
  close(): Promise<void>
}

/** Tasks of this process, with the configured catalog and state. */
export async function openLocalTasks(context: CliContext, catalog: string | undefined): Promise<TaskSource> {
  const config = loadCatalogConfig(context, catalog)
  const app = await buildApp(config, { logger: createLogger('error') })
  const call = Object.freeze({ requestId: randomUUID(), signal: new AbortController().signal })
  return {
    async create({ description, agent, metadata }) {
      await app.registry.whenReady()
      const order = { owner: OWNER, description, agent, metadata, domainKnowledge: '', config: {} }
      return (await app.tasks.create(order, call)).id
    },
    async *follow(id) {
      const address = { kind: 'task', id, owner: OWNER } as const
      for await (const item of await app.tasks.follow(address, undefined, call.signal))
        if (item.kind === 'event') yield readEvent(item.json)
    },
    cancel: async (id) => (await app.tasks.cancel({ kind: 'task', id, owner: OWNER })).status,
    close: () => app.close(),
  }
}

/** Tasks of a server. */
export function openRemoteTasks(address: ServerAddress): TaskSource {
  const server = new ServerConnection(address)
  const pathOf = (id: string) => `/api/tasks/${encodeURIComponent(id)}`
  return {
    create: async (order) => textField(await server.json('/api/tasks', order), 'id') ?? '',
    async *follow(id) {
      for await (const { data } of eventsOf(await server.ask(`${pathOf(id)}/events`))) yield readEvent(data)
    },
    cancel: async (id) => textField(await server.json(`${pathOf(id)}/cancel`, {}), 'status') ?? 'unknown',
    close: async () => {},
  }
}

/** What the service wrote, as the service's own type. */
function readEvent(text: string): TaskEvent {
  return parseJson(text) as unknown as TaskEvent
}
