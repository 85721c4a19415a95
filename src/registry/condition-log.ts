import type { DiagnosedRecord } from './diagnostics.js'
import type { DocumentProblem } from './document-problem.js'
import { KIND_ROWS } from './kinds.js'
import type { DocumentCondition } from './registry.js'
import { addressOfKey } from './revision.js'

/** Notes which documents break and are mended between two looks. */
export class ConditionLog {
  /** Documents that were replaced since the last look, as they were before. */
  readonly #before = new Map<string, DiagnosedRecord | undefined>()

  replaced(key: string, before: DiagnosedRecord | undefined, after: DiagnosedRecord | undefined): void {
    if (errorOf(before) === undefined && errorOf(after) === undefined) return
    if (!this.#before.has(key)) this.#before.set(key, before)
  }

  /** What changed since the last look, given the documents as they are now. */
  take(now: ReadonlyMap<string, DiagnosedRecord>): readonly DocumentCondition[] {
    if (this.#before.size === 0) return NONE
    const found = [...this.#before].flatMap(([key, before]) => conditionOf(key, before, now.get(key)))
    this.#before.clear()
    return found
  }
}

const NONE: readonly DocumentCondition[] = []

function conditionOf(
  key: string,
  before: DiagnosedRecord | undefined,
  after: DiagnosedRecord | undefined,
): readonly DocumentCondition[] {
  const error = errorOf(after)
  if ((errorOf(before) === undefined) === (error === undefined)) return NONE
  const { kind, path } = addressOfKey(key)
  const subject = {
    kind: KIND_ROWS[kind].event,
    id: path.join('.'),
    location: (after ?? before)?.location ?? key,
  }
  if (error === undefined) return [{ ...subject, change: 'mended' }]
  const { message, line, column, servingLastGood } = error
  const place = line === undefined || column === undefined ? {} : { line, column }
  return [{ ...subject, change: 'broken', message, ...place, servingLastGood }]
}

function errorOf(record: DiagnosedRecord | undefined): DocumentProblem | undefined {
  return record?.problems.find(({ severity }) => severity === 'error')
}
