import type { JsonObject, JsonValue } from '../util/json/json.js'

/** What a session is begun with. */
export interface ChatStart {
  readonly agent: string
  /** To continue with, or to begin under this id; undefined begins a new one. */
  readonly session: string | undefined
  readonly variables: JsonObject
}

/** @throws Error for a session with another agent */
export function assertSameAgent(session: string, known: JsonValue | undefined, asked: string): void {
  if (known !== asked) throw new Error(`session ${session} belongs to agent ${String(known)}`)
}
