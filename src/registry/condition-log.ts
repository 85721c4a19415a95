import type { DiagnosedRecord } from './diagnostics.js'
import { KIND_ROWS } from './kinds.js'
import type { DocumentCondition } from './registry.js'
import { addressOfKey, idOfPath } from './revision.js'
import type { Diagnostic } from './snapshot.js'

/** Collects the documents that broke or recovered between two commits. */
export class ConditionLog {
  readonly #changed = new Map<string, Noted>()

  replaced(key: string, before: DiagnosedRecord | undefined, after: DiagnosedRecord | undefined): void {
    if (errorOf(before) === undefined && errorOf(after) === undefined) return
    const noted = this.#changed.get(key)
    const first = noted === undefined ? before : noted.before
    this.#changed.set(key, { before: first, condition: conditionOf(key, first, after) })
  }

  /** What changed since the last look. */
  take(): readonly DocumentCondition[] {
    if (this.#changed.size === 0) return NONE
    const found: DocumentCondition[] = []
    for (const { condition } of this.#changed.values()) if (condition !== undefined) found.push(condition)
    this.#changed.clear()
    return found
  }
}

/** A document that was replaced since the last look: its old and its new state. */
interface Noted {
  readonly before: DiagnosedRecord | undefined
  readonly condition: DocumentCondition | undefined
}

const NONE: readonly DocumentCondition[] = []

function conditionOf(
  key: string,
  before: DiagnosedRecord | undefined,
  after: DiagnosedRecord | undefined,
): DocumentCondition | undefined {
  const error = errorOf(after)
  if ((errorOf(before) === undefined) === (error === undefined)) return undefined
  const { kind, path } = addressOfKey(key)
  const subject = {
    kind: KIND_ROWS[kind].event,
    id: idOfPath(kind, path),
    location: (after ?? before)?.location ?? key,
  }
  if (error === undefined) return { ...subject, change: 'mended' }
  const { message, line, column, servingLastGood } = error
  const place = line === undefined || column === undefined ? {} : { line, column }
  return { ...subject, change: 'broken', message, ...place, servingLastGood }
}

function errorOf(record: DiagnosedRecord | undefined): Diagnostic | undefined {
  return record?.faults.find(({ severity }) => severity === 'error')
}
