import { isJsonObject, type JsonObject, own } from '../util/json/json.js'
import { jsonObject, objectField, textField } from '../util/json/json-fields.js'
import { type Checkpoint, readCheckpoint } from './checkpoint.js'
import { readRecords, type StepRecord } from './step-record.js'

/** Stores the state of a program's task: a later run, perhaps in another process, continues from the last write. */
export interface TaskStorage {
  /** What was written last; undefined for nothing. */
  read(): Promise<JsonObject | undefined>
  /** Resolves when it is durable: nothing happens before that. Called for one state after the other. */
  write(task: JsonObject): Promise<void>
}

/** A task between two things to do. */
export interface KeptTask {
  /** Identifies the task, and its tool calls with it. */
  readonly task: string
  readonly checkpoint: Checkpoint
  readonly records: ReadonlyMap<string, StepRecord>
}

/** A task as a storage keeps it. */
export function writeKeptTask({ task, checkpoint, records }: KeptTask): JsonObject {
  return jsonObject({ task, checkpoint, records: Object.fromEntries(records) })
}

/** What a storage kept; undefined for nothing. @throws ServiceError `state_unreadable` */
export function readKeptTask(kept: JsonObject | undefined): KeptTask | undefined {
  const state = kept === undefined ? undefined : own(kept, 'checkpoint')
  const checkpoint = readCheckpoint(isJsonObject(state) ? state : undefined)
  if (kept === undefined || checkpoint === undefined) return undefined
  const records = readRecords(new Map(Object.entries(objectField(kept, 'records'))))
  return { task: textField(kept, 'task') ?? '', checkpoint, records }
}
