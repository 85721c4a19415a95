import type { TaskEvent } from '../tasks/task-event.js'
import { type JsonObject, parseJson } from '../util/json/json.js'
import { textField } from '../util/json/json-fields.js'
import { eventsOf, type ServerConnection } from './server-connection.js'

/** What a task is made of on the command line. */
export interface TaskOrder {
  readonly description: string
  readonly agent?: string
  readonly metadata: JsonObject
}

/** Tasks of a service. */
export class TaskSource {
  readonly #server: ServerConnection

  constructor(server: ServerConnection) {
    this.#server = server
  }

  /** @returns its id */
  async create(order: TaskOrder): Promise<string> {
    return textField(await this.#server.json('/api/tasks', order), 'id') ?? ''
  }

  async *follow(id: string): AsyncGenerator<TaskEvent> {
    // What the service wrote, as the service's own type.
    for await (const { data } of eventsOf(await this.#server.ask(`${pathOf(id)}/events`)))
      yield parseJson(data) as unknown as TaskEvent
  }

  /** Requests cancellation; returns the task's status. */
  async cancel(id: string): Promise<string> {
    return textField(await this.#server.json(`${pathOf(id)}/cancel`, {}), 'status') ?? 'unknown'
  }
}

function pathOf(id: string): string {
  return `/api/tasks/${encodeURIComponent(id)}`
}
